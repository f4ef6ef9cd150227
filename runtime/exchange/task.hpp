// The background work of the calling thread. Cancelling it cancels its outbound calls.
#pragma once

#include <atomic>
#include <memory>
#include <stop_token>
#include <string_view>
#include <utility>

namespace fw::detail {

struct Task {
  std::stop_token signal;
  std::string_view reason;  ///< the reason for an AbortError; static
  /// Set when an outbound call ends because of the signal, so that the result of the work may be
  /// incomplete; null if nobody asks.
  std::shared_ptr<std::atomic<bool>> has_aborted_call = {};
};

inline thread_local const Task* t_task = nullptr;

/// Null outside of background work.
inline const Task* current_task() { return t_task; }

/// Makes `task` the current one of the thread during the lifetime of the scope.
class TaskScope {
 public:
  explicit TaskScope(const Task* task) : previous_(std::exchange(t_task, task)) {}
  ~TaskScope() { t_task = previous_; }
  TaskScope(const TaskScope&) = delete;
  TaskScope& operator=(const TaskScope&) = delete;

 private:
  const Task* previous_;
};

}  // namespace fw::detail
