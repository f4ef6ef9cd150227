// Waiting for the end of a server: a signal, or a call from another thread.
#pragma once

#include <cstddef>

namespace fw::detail {

/// While one lives, SIGINT and SIGTERM notify it (and all others) instead of ending the process.
/// `notify` is thread-safe.
class StopSignal {
 public:
  /// What a second signal does.
  enum class Second {
    ends_process,  ///< the default action
    /// For a worker, which may get one from its supervisor and one that is sent to all processes:
    /// the supervisor decides when to end at once.
    nothing,
  };

  /// Throws std::system_error.
  explicit StopSignal(Second second = Second::ends_process);
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  void notify();
  /// Returns once notified: true if by a signal. One thread waits.
  bool wait();

 private:
  std::size_t slot_ = 0;
  int descriptor_ = -1;  ///< of the process, which keeps it open
};

}  // namespace fw::detail
