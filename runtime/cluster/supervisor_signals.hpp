// The signals of a supervisor.
#pragma once

#include <array>
#include <optional>
#include <signal.h>

namespace fw::cluster {

/// During its lifetime, SIGTERM, SIGINT, SIGHUP and SIGUSR1 are queued here instead of having their
/// previous effect. Only one object may exist in a process.
class SupervisorSignals {
 public:
  static constexpr std::array<int, 4> kHandled = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};
  /// The value of `request_stop`.
  static constexpr int kStopRequest = 0;

  /// Throws std::system_error, or std::logic_error if there is one already.
  SupervisorSignals();
  ~SupervisorSignals();
  SupervisorSignals(const SupervisorSignals&) = delete;
  SupervisorSignals& operator=(const SupervisorSignals&) = delete;

  /// Readable if `take` will return a signal.
  int descriptor() const;
  std::optional<int> take();
  /// Thread-safe.
  void request_stop();

 private:
  std::array<struct sigaction, kHandled.size()> previous_ = {};
};

}  // namespace fw::cluster
