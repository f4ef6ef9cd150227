// SIGHUP, which loads the certificates of TLS again.
#pragma once

#include <signal.h>

namespace fw::detail {

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
