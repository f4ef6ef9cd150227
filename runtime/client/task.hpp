// The background work that the calling thread belongs to: what cancels it cancels its calls.
#pragma once

#include <stop_token>
#include <string_view>

namespace fw::detail {

struct Task {
  std::stop_token signal;
  std::string_view reason;  ///< of an AbortError; static
};

/// Null outside background work.
const Task* current_task();

/// Makes `task` the thread's current one for the life of the scope.
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
