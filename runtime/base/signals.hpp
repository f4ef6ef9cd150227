// The signals of threads that the framework starts.
#pragma once

#include <signal.h>

namespace fw::base {

/// Leaves the signals of the process to the threads of the application. Called by a thread of the
/// framework when it begins.
inline void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace fw::base
