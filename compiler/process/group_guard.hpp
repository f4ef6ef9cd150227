// Ends the processes that this one has started, if it cannot do so itself.
#pragma once

#include <chrono>
#include <sys/types.h>

#include "base/file_descriptor.hpp"

namespace fairway::process {

/// From SIGTERM to SIGKILL. A server completes its requests within `shutdown.timeout`, 10 seconds
/// unless it is configured.
inline constexpr std::chrono::milliseconds kStopTime{12'000};

/// A process of its own that waits for the end of this one, which may be killed. Then it sends
/// SIGTERM to the process groups that are left, and after a while SIGKILL. The death signal of
/// prctl(2) does not reach the children of a child: cmake would end, and its ninja would remain.
class GroupGuard {
 public:
  /// Descriptors that are open now stay open in the guard.
  GroupGuard();
  ~GroupGuard();
  GroupGuard(const GroupGuard&) = delete;
  GroupGuard& operator=(const GroupGuard&) = delete;

  // Also for a new process before it executes a program: then no group is missed.

  void add(pid_t group) const;
  void remove(pid_t group) const;

 private:
  fw::base::FileDescriptor messages_;
  pid_t process_ = -1;
};

}  // namespace fairway::process
