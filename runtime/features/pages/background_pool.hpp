// Threads for work that no client waits for.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/keyed_hash.hpp"

namespace fw::detail {

/// At most `kMaxOfLane` tasks of a lane run at a time, so that slow ones delay no other lane.
/// Those that requests want most run first, so that a client who causes many tasks, with a `Host`
/// of its own for each, delays none that others want. Threads begin with the tasks that need them,
/// and end with the object, after their running tasks. Thread-safe.
class BackgroundPool {
 public:
  static constexpr std::size_t kMaxThreads = 16;
  static constexpr std::size_t kMaxOfLane = 2;
  static constexpr std::size_t kMaxWaiting = 256;  ///< of a lane

  /// The tasks of one owner. Must be destroyed after the pool.
  class Lane {
   private:
    friend class BackgroundPool;
    struct Task {
      std::uint64_t key = 0;  ///< its hash
      std::function<void()> run = {};
    };
    static constexpr std::size_t kMaxKeys = 4096;

    void want(std::uint64_t key);
    std::uint32_t demand_of(const Task& task) const;
    Task take(std::deque<Task>::iterator task);

    std::size_t running = 0;
    std::deque<Task> waiting;  ///< the oldest first
    bool is_ready = false;     ///< in `ready_`
    /// How often a task has been wanted since it ran. What was wanted long ago counts less.
    std::unordered_map<std::uint64_t, std::uint32_t> demand;
  };

  /// Counts a request that wants the task of a key to run.
  void want(Lane& lane, std::string_view key);
  /// Runs the task. If too many of its lane wait, the least wanted one is destroyed without
  /// running, the oldest of several. A task must not throw. It is also destroyed without running if
  /// the pool ends first.
  void post(Lane& lane, std::string_view key, std::function<void()> task);

 private:
  void run(const std::stop_token& stop);
  /// Puts the lane in the queue if a task of it may run.
  void make_ready(Lane& lane);

  const base::KeyedHash hash_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Lane*> ready_;  ///< lanes with a task that may run
  std::size_t idle_ = 0;
  std::vector<std::jthread> threads_;  // last: stop before the rest is destroyed
};

}  // namespace fw::detail
