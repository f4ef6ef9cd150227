// The background work of the calling thread. Cancelling it cancels its outbound calls.
#pragma once

#include <stop_token>
#include <string_view>

namespace fw::detail {

struct Task {
  std::stop_token signal;
  std::string_view reason;  ///< the reason for an AbortError; static
};

/// Null outside of background work.
const Task* current_task();

/// Makes `task` the current one of the thread during the lifetime of the scope.
class TaskScope {
 public:
  explicit TaskScope(const Task* task);
  ~TaskScope();
  TaskScope(const TaskScope&) = delete;
  TaskScope& operator=(const TaskScope&) = delete;

 private:
  const Task* previous_;
};

}  // namespace fw::detail
