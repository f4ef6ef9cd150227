// The signals that a server handles: to stop, and to load the certificates of TLS again.
#pragma once

#include <cstddef>
#include <signal.h>

namespace fw::detail {

/// Waits for a request to stop: a signal, or a call from another thread. While an object exists,
/// SIGINT and SIGTERM notify it (and all others) instead of ending the process. `notify` is
/// thread-safe.
class StopSignal {
 public:
  /// The effect of a second signal.
  enum class OnSecondSignal {
    ends_process,  ///< the default action
    /// For workers, which may get the signal twice: from their supervisor, and with their process
    /// group. The supervisor decides when to exit at once.
    ignore,
  };

  /// Throws std::system_error.
  explicit StopSignal(OnSecondSignal second = OnSecondSignal::ends_process);
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  void notify();
  /// Readable if there was a notification.
  int descriptor() const { return descriptor_; }
  /// Waits for a notification, and returns whether it was a signal. Only one thread may wait.
  bool wait();

 private:
  std::size_t slot_ = 0;
  int descriptor_ = -1;  ///< owned by the process, which keeps it open
};

/// While an object exists, SIGHUP loads certificates instead of ending the process. It changes
/// nothing if the program handles or ignores the signal; workers of a cluster do, because their
/// supervisor handles it.
class ReloadSignal {
 public:
  ReloadSignal();
  ~ReloadSignal();
  ReloadSignal(const ReloadSignal&) = delete;
  ReloadSignal& operator=(const ReloadSignal&) = delete;

 private:
  bool is_installed_ = false;
};

}  // namespace fw::detail
