#include "cluster/restart_policy.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace restart_policy_test {

using fw::cluster::RestartPolicy;
using namespace std::chrono_literals;

TEST_CASE("restart policy: the delay doubles up to its bound, and too many ends are the last") {
  RestartPolicy policy({.max_restarts = 7});
  const RestartPolicy::Clock::time_point now{};
  for (const auto expected : {1'000ms, 2'000ms, 4'000ms, 8'000ms, 16'000ms, 30'000ms, 30'000ms}) {
    CHECK(policy.note_end(now) == expected);
  }
  CHECK_FALSE(policy.note_end(now));
}

TEST_CASE("restart policy: ends that are long past do not count") {
  RestartPolicy policy({.max_restarts = 2, .restart_window = 10'000});
  const RestartPolicy::Clock::time_point begin{};
  CHECK(policy.note_end(begin) == 1'000ms);
  CHECK(policy.note_end(begin + 6s) == 2'000ms);
  CHECK_FALSE(policy.note_end(begin + 9s));
  CHECK(policy.note_end(begin + 10s) == 2'000ms);
  CHECK(policy.note_end(begin + 60s) == 1'000ms);
}

TEST_CASE("restart policy: none at all may be allowed") {
  RestartPolicy policy({.max_restarts = 0});
  CHECK_FALSE(policy.note_end({}));
}

}  // namespace restart_policy_test
