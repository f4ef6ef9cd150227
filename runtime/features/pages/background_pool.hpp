// Threads for work that no client waits for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/keyed_hash.hpp"

namespace fw::detail {

/// At most `kMaxOfLane` tasks of a lane run at a time, so that slow ones delay no other lane. A
/// task that does not end when its time is over is abandoned: another one may run in its place, up
/// to `kMaxAbandoned` and `kMaxOfLane` of a lane. The task with the largest product of requests and
/// waiting time runs first. A client who causes many tasks, with a `Host` of its own for each,
/// therefore does not delay a task that many others want, and a task that few want does not wait
/// forever. Threads begin with the tasks that need them, and end with the object, after their
/// running tasks; `stop` and `wait_until` bound the time for that. Thread-safe.
class BackgroundPool {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::size_t kMaxThreads = 16;
  static constexpr std::size_t kMaxOfLane = 2;
  static constexpr std::size_t kMaxAbandoned = 48;  ///< whose threads are replaced
  static constexpr std::size_t kMaxWaiting = 256;   ///< of a lane

  class Lane;

  /// A task, also after its end. Thread-safe.
  class Running {
   public:
    Running(BackgroundPool& pool, Lane& lane) : pool_(&pool), lane_(lane) {}
    /// The task has been asked to end, and does not. Returns false if it has ended, or was
    /// abandoned before.
    bool abandon();

   private:
    friend class BackgroundPool;
    std::mutex mutex_;
    BackgroundPool* pool_;  ///< null after the end
    Lane& lane_;
    bool is_abandoned_ = false;
  };
  using Run = std::function<void(const std::shared_ptr<Running>&)>;

  /// The tasks of one owner. Must be destroyed after the pool.
  class Lane {
   private:
    friend class BackgroundPool;
    struct Task {
      std::uint64_t key = 0;  ///< its hash
      Run run = {};
      std::shared_ptr<Running> running = {};
    };
    struct Demand {
      std::uint32_t requests = 0;
      Clock::time_point since = {};
    };
    static constexpr std::size_t kMaxKeys = 4096;
    /// Added to waiting times: of tasks that have just begun to wait, only the requests count.
    static constexpr std::chrono::seconds kShortWait{1};

    void want(std::uint64_t key, Clock::time_point now);
    /// Requests multiplied by the seconds since the first of them.
    std::function<double(const Task&)> urgency_at(Clock::time_point now) const;
    Task take(std::deque<Task>::iterator task);

    std::size_t running_ = 0;
    std::size_t abandoned_ = 0;  ///< that still run
    std::deque<Task> waiting_;   ///< the oldest first
    bool is_ready_ = false;      ///< in `ready_`
    bool is_known_ = false;      ///< in `lanes_`
    /// How often a task has been wanted since it ran, and since when. Requests of long ago count
    /// less.
    std::unordered_map<std::uint64_t, Demand> demand_;
  };

  using Now = std::function<Clock::time_point()>;
  explicit BackgroundPool(Now now = Clock::now);
  ~BackgroundPool() { stop(); }
  BackgroundPool(const BackgroundPool&) = delete;
  BackgroundPool& operator=(const BackgroundPool&) = delete;

  /// Counts a request that wants the task of a key to run.
  void want(Lane& lane, std::string_view key);
  /// Runs the task. If too many of its lane wait, the least urgent one is destroyed without
  /// running, the oldest of several. What a task throws is ignored. It is also destroyed without
  /// running if the pool ends or stops first.
  void post(Lane& lane, std::string_view key, Run task);

  /// Destroys the tasks that wait, and begins no others.
  void stop();
  /// After `stop`: returns whether the running tasks have ended, which it waits for until `time`.
  bool wait_until(Clock::time_point time);
  /// The same without a limit.
  void wait();
  /// Asks the running tasks to end.
  void cancel() { cancellation_.request_stop(); }
  /// Requested by `cancel`.
  std::stop_token cancellation() const { return cancellation_.get_token(); }

 private:
  void run(const std::stop_token& stop);
  void replace(Lane& lane);
  void end(Running& running);
  /// Begins a thread if a task needs it. If there can be none, the task waits for those there are,
  /// or for the next `post`.
  void begin_thread() noexcept;
  bool may_run() const;
  /// Puts the lane in the queue if a task of it may run.
  void make_ready(Lane& lane);

  const base::KeyedHash hash_;
  const Now now_;
  sigset_t signals_ = {};  ///< that threads block, as the owner does: any thread may begin one
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Lane*> ready_;   ///< lanes with a task that may run
  std::vector<Lane*> lanes_;  ///< that have had tasks
  std::size_t idle_ = 0;
  std::size_t running_ = 0;    ///< tasks
  std::size_t abandoned_ = 0;  ///< of them
  bool is_stopped_ = false;
  std::stop_source cancellation_;
  std::vector<std::jthread> threads_;  // last: stop before the rest is destroyed
};

}  // namespace fw::detail
