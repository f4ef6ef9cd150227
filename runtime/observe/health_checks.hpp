// The checks of `app.health()`: each call has a deadline and is shared by the probes that wait for
// it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace fw::detail {

class HealthChecks {
 public:
  using Function = std::function<bool(const std::stop_token&)>;
  /// Called when a check begins to fail, with the reason, and when it passes again, with an empty
  /// one. Must not throw.
  using Report = std::function<void(const std::string& name, const std::string& reason)>;

  enum class State { ok, failed, timeout };
  struct Result {
    std::string name;
    State state;
  };

  ~HealthChecks() { stop(); }

  /// See fw::Health::check.
  void add(std::string name, Function function, std::chrono::milliseconds timeout);
  /// No checks may be added from now on.
  void begin(Report report);
  bool empty() const { return checks_.empty(); }

  /// Runs all checks and waits for their results, at most until their deadlines, in the order in
  /// which they were added. Thread-safe. A probe after `stop` has no results.
  std::vector<Result> run();

  /// Asks running checks to end. Waits for them at most until then, and returns whether they have
  /// ended.
  bool stop_until(std::chrono::steady_clock::time_point when);
  /// Waits for the end of running checks.
  void stop();

 private:
  struct Check {
    std::string name;
    Function function;
    std::chrono::milliseconds timeout;
    // Guarded by the mutex:
    std::thread thread = {};                              ///< of the last call
    std::uint64_t begun = 0;                              ///< calls
    std::uint64_t ended = 0;                              ///< calls, `begun` or one less
    std::chrono::steady_clock::time_point deadline = {};  ///< of the last call
    std::stop_source stop_source = {};                    ///< of the last call
    bool has_passed = false;   ///< the result of the last call that ended
    bool is_reported = false;  ///< as failing
    std::string reason = {};
  };

  /// The caller holds the mutex.
  void start(Check& check);
  void call(Check& check) noexcept;
  void report(Check& check, State state);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Check> checks_;  ///< constant after `begin`, except for what the mutex guards
  Report report_;
  bool has_begun_ = false;
  bool is_stopped_ = false;
};

}  // namespace fw::detail
