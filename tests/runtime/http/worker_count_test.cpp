#include "http/epoll/worker_count.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace worker_count_test {

namespace {

using fw::http::WorkerCount;

/// Lets so many workers begin to wait.
void add_idle(WorkerCount& count, std::size_t number) {
  for (std::size_t i = 0; i < number; ++i) {
    count.add();
    count.begin_wait();
  }
}

}  // namespace

TEST_CASE("worker count: of workers that time out together, all but the minimum leave") {
  WorkerCount count;
  add_idle(count, 5);
  // No wait begins again before all have decided, as when one thread is as fast as the others.
  std::vector<bool> leaves;
  for (int i = 0; i < 5; ++i) leaves.push_back(count.leave(2));
  CHECK(leaves == std::vector<bool>{true, true, true, false, false});
  CHECK(count.size() == 2);
  CHECK(count.idle() == 0);
  CHECK(count.busy() == 2);
  for (int i = 0; i < 2; ++i) count.begin_wait();
  CHECK(count.idle() == 2);
  CHECK_FALSE(count.leave(2));
}

TEST_CASE("worker count: workers leave only while others are idle") {
  WorkerCount count;
  add_idle(count, 3);
  CHECK_FALSE(count.end_wait());
  CHECK_FALSE(count.end_wait());
  CHECK(count.busy() == 2);
  CHECK_FALSE(count.leave(1));
  count.begin_wait();
  CHECK(count.end_wait());  // the last idle one got an event
  CHECK(count.size() == 3);
}

TEST_CASE("worker count: workers above a limit leave, and replaced ones are bounded") {
  WorkerCount count;
  for (int i = 0; i < 3; ++i) count.add();
  CHECK_FALSE(count.leave_above(3));
  CHECK(count.leave_above(2));
  CHECK_FALSE(count.leave_above(2));
  CHECK(count.size() == 2);
  fw::http::ReplacedWorkers replaced(2);
  CHECK(replaced.add(0));
  CHECK(replaced.add(0));
  CHECK_FALSE(replaced.add(0));
  CHECK(replaced.count() == 2);
  replaced.remove();
  CHECK(replaced.add(0));
}

TEST_CASE("worker count: those that are replaced for one reason leave as many for others") {
  fw::http::ReplacedWorkers replaced(8);
  std::size_t first = 0;
  while (replaced.add(first)) ++first;
  CHECK(first == 4);
  std::size_t second = 0;
  while (replaced.add(second)) ++second;
  CHECK(second == 2);
  CHECK_FALSE(replaced.add(first));
  CHECK(replaced.add(0));
}

}  // namespace worker_count_test
