#include "observe/health_checks.hpp"

#include <fairway/health.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <future>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "eventually.hpp"
#include "support/allocation_count.hpp"

namespace health_checks_test {

using fw::detail::HealthChecks;
using namespace std::chrono_literals;

TEST_CASE("health checks: concurrent probes share one call") {
  HealthChecks checks;
  std::atomic<int> calls = 0;
  std::atomic<bool> is_released = false;
  checks.add(
      "slow",
      [&](const std::stop_token&) {
        ++calls;
        while (!is_released) std::this_thread::sleep_for(1ms);
        return true;
      },
      1min);
  checks.begin([](const std::string&, const std::string&) {});
  std::vector<std::future<std::vector<HealthChecks::Result>>> probes;
  for (int i = 0; i < 4; ++i) {
    probes.push_back(std::async(std::launch::async, [&] { return checks.run(); }));
  }
  REQUIRE(fairway::test::eventually([&] { return calls == 1; }));
  std::this_thread::sleep_for(20ms);  // so that a second call, if there were one, would have begun
  CHECK(calls == 1);
  is_released = true;
  for (auto& probe : probes) {
    const auto results = probe.get();
    REQUIRE(results.size() == 1);
    CHECK(results[0].state == HealthChecks::State::ok);
  }
}

TEST_CASE("health checks: a stop ends waiting probes and tells what still runs") {
  HealthChecks checks;
  std::atomic<bool> is_running = false;
  std::atomic<bool> is_released = false;
  checks.add(
      "stubborn",
      [&](const std::stop_token&) {
        is_running = true;
        while (!is_released) std::this_thread::sleep_for(1ms);
        return true;
      },
      1h);
  checks.begin([](const std::string&, const std::string&) {});
  auto probe = std::async(std::launch::async, [&] { return checks.run(); });
  REQUIRE(fairway::test::eventually([&] { return is_running.load(); }));
  CHECK_FALSE(checks.stop_until(std::chrono::steady_clock::now() + 5ms));
  CHECK(probe.get().empty());
  CHECK(checks.run().empty());
  is_released = true;
  checks.stop();
}

TEST_CASE("health checks: without memory to begin one, it fails, and the next time it passes") {
  static std::atomic<bool> was_reached;
  int failed = 0;
  was_reached = true;
  for (std::size_t number = 1; was_reached; ++number) {
    CAPTURE(number);
    HealthChecks checks;
    checks.add("one", [](const std::stop_token&) { return true; }, 1min);
    checks.begin([](const std::string&, const std::string&) {});
    was_reached = false;
    try {
      const fw::support::AtAllocation fails(number, [] {
        was_reached = true;
        return false;
      });
      const auto results = checks.run();
      if (was_reached && results[0].state == HealthChecks::State::failed) ++failed;
    } catch (const std::bad_alloc&) {
      // There was no memory for the results.
    }
    const auto results = checks.run();
    REQUIRE(results.size() == 1);
    CHECK(results[0].state == HealthChecks::State::ok);
  }
  CHECK(failed > 0);
}

TEST_CASE("health checks: a reason that there is no memory for fails its check") {
  const std::runtime_error large(std::string(1'000'000, 'x'));
  HealthChecks checks;
  checks.add("one", [&](const std::stop_token&) -> bool { throw large; }, 1min);
  std::string reported;
  checks.begin([&](const std::string&, const std::string& reason) { reported = reason; });
  const fw::support::FailingAllocations failing(1'000'000);
  const auto results = checks.run();
  REQUIRE(results.size() == 1);
  CHECK(results[0].state == HealthChecks::State::failed);
  CHECK(reported == "out of memory");
}

TEST_CASE("health checks: wrong checks are errors") {
  fw::Health health;
  health.check("database", [] { return true; });
  CHECK_THROWS_AS(health.check("database", [] {}), std::logic_error);
  CHECK_THROWS_AS(health.check("", [] {}), std::invalid_argument);
  CHECK_THROWS_AS(health.check("a b", [] {}), std::invalid_argument);
  CHECK_THROWS_AS(health.check("a", [] {}, 0), std::invalid_argument);
  CHECK_THROWS_AS(health.check("a", std::function<void()>()), std::invalid_argument);
}

}  // namespace health_checks_test
