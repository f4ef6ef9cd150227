#include "cluster/restart_policy.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace restart_policy_test {

using fw::cluster::RestartPolicy;
using Restart = RestartPolicy::Restart;
using namespace std::chrono_literals;

TEST_CASE("restart policy: the delay doubles up to its maximum") {
  RestartPolicy policy({.max_restarts = 7});
  const RestartPolicy::Clock::time_point now{};
  for (const auto expected : {1'000ms, 2'000ms, 4'000ms, 8'000ms, 16'000ms, 30'000ms, 30'000ms}) {
    CHECK(policy.note_end(now) == Restart{expected, false});
  }
  CHECK(policy.note_end(now) == Restart{30'000ms, true});
}

TEST_CASE("restart policy: restarts before the window do not count") {
  RestartPolicy policy({.max_restarts = 2, .restart_window = 10'000});
  const RestartPolicy::Clock::time_point begin{};
  CHECK(policy.note_end(begin) == Restart{1'000ms, false});
  CHECK(policy.note_end(begin + 6s) == Restart{2'000ms, false});
  CHECK(policy.note_end(begin + 9s) == Restart{30'000ms, true});
  CHECK(policy.note_end(begin + 17s) == Restart{2'000ms, false});
  CHECK(policy.note_end(begin + 60s) == Restart{1'000ms, false});
}

TEST_CASE("restart policy: with max_restarts 0 every exit is one too many") {
  RestartPolicy policy({.max_restarts = 0});
  CHECK(policy.note_end({}) == Restart{30'000ms, true});
}

}  // namespace restart_policy_test
