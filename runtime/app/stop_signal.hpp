// Waiting for the end of a server: a signal, or a call from another thread.
#pragma once

namespace fw::detail {

/// While one lives, SIGINT and SIGTERM notify it (and all others) instead of ending the process;
/// the second signal ends the process as if nobody listened. `notify` is thread-safe.
class StopSignal {
 public:
  /// Throws std::system_error.
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  void notify();
  /// Returns once notified. One thread waits.
  void wait();

 private:
  int descriptor_;
};

}  // namespace fw::detail
