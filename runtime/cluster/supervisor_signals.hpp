// The signals that a supervisor handles, as numbers to read.
#pragma once

#include <array>
#include <optional>
#include <signal.h>

namespace fw::cluster {

/// While it lives, SIGTERM, SIGINT, SIGHUP and SIGUSR1 are read from it instead of doing what they
/// did. One at a time in a process.
class SupervisorSignals {
 public:
  static constexpr std::array<int, 4> kHandled = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};
  /// What `request_stop` is read as.
  static constexpr int kStopRequest = 0;

  /// Throws std::system_error, or std::logic_error if there is one already.
  SupervisorSignals();
  ~SupervisorSignals();
  SupervisorSignals(const SupervisorSignals&) = delete;
  SupervisorSignals& operator=(const SupervisorSignals&) = delete;

  /// Readable when `take` has something.
  int descriptor() const;
  std::optional<int> take();
  /// Thread-safe.
  void request_stop();

 private:
  std::array<struct sigaction, kHandled.size()> previous_ = {};
};

}  // namespace fw::cluster
