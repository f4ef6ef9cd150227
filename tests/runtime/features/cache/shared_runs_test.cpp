// Requests of a process for the same key, while there is not enough memory.
#include "features/cache/shared_runs.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "eventually.hpp"
#include "support/allocation_count.hpp"

namespace shared_runs_test {

namespace {

using fairway::test::eventually;
using fw::detail::SharedRuns;
using namespace fw::http;
using Clock = SharedRuns::Clock;
using Outcome = SharedRuns::Outcome;

/// Of requests that never respond.
class SilentTransaction : public Transaction {
 public:
  const RequestHead& head() const override { return head_; }
  BodyStatus read_body(std::uint64_t, std::string&) override { return BodyStatus::complete; }
  BodyPart read_body_part(std::uint64_t, std::span<char>, Clock::time_point) override { return {}; }
  bool respond(const ResponseHead&, std::string_view) override { return false; }
  bool respond_stream(const ResponseHead&, std::optional<std::uint64_t>, BodyProducer,
                      StreamEnd) override {
    return false;
  }
  bool has_response() const override { return false; }
  void on_disconnect(DisconnectCallback) override {}

 private:
  RequestHead head_;
};

/// Requests for one key.
struct Requests {
  SharedRuns::Joined join(Clock::duration patience) {
    return runs->join({.key = "key",
                       .version = 0,
                       .seen = 0,
                       .head_digest = {},
                       .deadline = Clock::now() + patience,
                       .stop = {},
                       .transaction = transaction,
                       .waiting_threads = waiting,
                       .earlier = nullptr});
  }

  std::shared_ptr<SharedRuns> runs = std::make_shared<SharedRuns>();
  SilentTransaction transaction;
  std::atomic<std::size_t> waiting = 0;
};

}  // namespace

TEST_CASE("cache: a run has a leader, also if a request that waited for it has no memory") {
  bool has_failed = false;
  for (std::size_t allocation = 1; allocation <= 4; ++allocation) {
    CAPTURE(allocation);
    Requests requests;
    auto first = requests.join({});
    REQUIRE(first.outcome == Outcome::lead);
    std::atomic<bool> is_over = false;
    std::jthread second([&] {
      try {
        const fw::support::AtAllocation failing(allocation, [] { return false; });
        requests.join(fairway::test::kPatience);
      } catch (const std::bad_alloc&) {
        has_failed = true;
      }
      is_over = true;
    });
    REQUIRE(eventually([&] { return requests.waiting == 1 || is_over; }));
    // The second request gets the lead, if it waits. Its handler fails.
    first.lead.reset();
    second.join();
    CHECK(requests.join({}).outcome == Outcome::lead);
  }
  CHECK(has_failed);
}

}  // namespace shared_runs_test
