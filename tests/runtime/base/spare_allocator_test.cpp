#include "base/spare_allocator.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <thread>

#include "support/allocation_count.hpp"

namespace spare_allocator_test {

namespace {

struct Value {
  std::array<char, 500> bytes{};
};

std::shared_ptr<Value> make() {
  return std::allocate_shared<Value>(fw::base::SpareAllocator<Value>());
}

}  // namespace

TEST_CASE("spare allocator: a thread uses the memory of its last object again") {
  make();
  const std::size_t before = fw::support::allocation_count();
  for (int i = 0; i < 10; ++i) make();
  CHECK(fw::support::allocation_count() - before == (fw::base::kKeepsSpares ? 0 : 10));
}

TEST_CASE("spare allocator: objects that exist at the same time have their own memory") {
  const auto first = make();
  const auto second = make();
  first->bytes.fill('a');
  second->bytes.fill('b');
  CHECK(first->bytes.front() == 'a');
  CHECK(first->bytes.back() == 'a');
}

TEST_CASE("spare allocator: a thread may destroy the object of another one, and end") {
  auto value = make();
  std::thread([own = std::move(value)]() mutable { own.reset(); }).join();
  make();
}

}  // namespace spare_allocator_test
