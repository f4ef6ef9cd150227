// Threads for work that no client waits for.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace fw::detail {

/// The tasks of a lane run in order, at most `kMostOfLane` at a time, so that slow ones delay no
/// other lane. Threads begin with the tasks that need them, and end with the object, after their
/// running tasks. Thread-safe.
class BackgroundPool {
 public:
  static constexpr std::size_t kMostThreads = 16;
  static constexpr std::size_t kMostOfLane = 2;
  static constexpr std::size_t kMostWaiting = 256;  ///< of a lane

  /// The tasks of one owner. Must be destroyed after the pool.
  class Lane {
   private:
    friend class BackgroundPool;
    std::size_t running = 0;
    std::deque<std::function<void()>> waiting;
    bool is_ready = false;  ///< in `ready_`
  };

  /// Runs the task, unless too many of its lane are waiting: then returns false. A task must not
  /// throw. It is destroyed without running if the pool ends first.
  bool post(Lane& lane, std::function<void()> task);

 private:
  void run(const std::stop_token& stop);
  /// Puts the lane in the queue if a task of it may run.
  void make_ready(Lane& lane);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Lane*> ready_;  ///< lanes with a task that may run
  std::size_t idle_ = 0;
  std::vector<std::jthread> threads_;  // last: stop before the rest is destroyed
};

}  // namespace fw::detail
