// The threads that handle events. The pool grows while handlers block, so that a thread is free for
// the next event.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <thread>

#include "http/epoll/poller.hpp"
#include "http/epoll/worker_count.hpp"

namespace fw::http {

/// Workers take events that have been received, or wait for them. When all are busy or received
/// events wait, a monitor thread samples them every one to four milliseconds. It wakes idle workers
/// if these events make no progress. If no worker is idle, it samples some of them: if most are
/// blocked and none needs a processor, it adds workers, up to `max`. Handlers that compute get more
/// workers only if all of them take long, and up to a lower bound: more would not make them faster,
/// but others need not wait for their end. Idle workers above `min` end.
class WorkerPool {
 public:
  struct Limits {
    std::size_t min;
    std::size_t max;
    std::chrono::milliseconds idle_timeout;
    std::chrono::milliseconds tick_interval;
    std::chrono::milliseconds relief_interval;
  };

  struct Callbacks {
    /// Runs on workers, and must not throw.
    std::function<void(const Poller::Event&)> handle;
    /// Runs on the monitor every `tick_interval`, with the number of busy workers.
    std::function<void(std::size_t)> tick;
    /// Runs on the monitor every `relief_interval` while no worker is idle, and must not throw. May
    /// be empty.
    std::function<void()> relieve;
  };

  /// There may be more workers than the limit by those that are `replaced`. Throws
  /// std::system_error if the monitor or the first worker cannot be started.
  WorkerPool(Poller& poller, const Limits& limits, const ReplacedWorkers& replaced,
             Callbacks callbacks);
  /// Waits until all workers have ended.
  ~WorkerPool();

  /// The number of workers that are handling an event.
  std::size_t busy() const { return count_.busy(); }
  std::size_t size() const { return count_.size(); }

  /// Runs the monitor on the calling thread, and not on its own, until the descriptor is readable
  /// or the pool stops: a program whose main thread only waits for signals needs one thread less.
  /// Must be called by one thread at a time.
  void monitor_until_readable(int descriptor);

  /// Makes all workers end after their current event.
  void request_stop();

 private:
  struct Worker {
    std::atomic<std::uint32_t> turns{0};  ///< odd while it handles an event
    std::atomic<int> kernel_id{0};
    std::atomic<bool> has_exited{false};
    std::thread thread;
  };

  std::size_t max() const { return limits_.max + replaced_.count(); }
  void work(Worker& worker);
  /// Empty if there was no event in time; the worker still counts as idle then.
  std::optional<Poller::Event> take(Poller::BatchSlot& slot);
  void notify_monitor();
  void wake_monitor();
  bool wait_for_notification(std::chrono::steady_clock::time_point until, int descriptor);
  void run_monitor(int descriptor);
  /// Throws std::system_error.
  void start_monitor();
  void relieve();
  bool wake_idle();
  bool balance();
  bool receives_often(std::chrono::milliseconds interval);
  void add_for_long_turns();
  void add_workers(std::size_t wanted);
  void sample_workers();
  static bool is_waiting(const Worker& worker);
  void join_exited_workers();
  /// Throws std::system_error.
  void add_worker();
  void end_threads();

  Poller& poller_;
  const Limits limits_;
  const ReplacedWorkers& replaced_;
  const Callbacks callbacks_;

  WorkerCount count_;
  std::atomic<std::size_t> left_{0};  ///< ended workers that must be joined
  std::atomic<bool> stopping_{false};
  std::atomic<bool> notify_is_armed_{true};

  FileDescriptor monitor_wakes_;  ///< an eventfd; the monitor waits with `poll`
  std::atomic<bool> is_notified_{false};
  std::atomic<bool> monitor_moves_{false};  ///< to another thread
  // Used only by the monitor while it runs:
  std::list<Worker> workers_;
  std::list<Worker>::iterator next_checked_ = workers_.end();
  std::size_t samples_ = 0;
  std::size_t waiting_samples_ = 0;  ///< number of these in which the worker waited
  std::chrono::milliseconds check_interval_{1};
  std::chrono::steady_clock::time_point next_check_at_;
  std::uint64_t seen_turns_ = 0;  ///< sum of the turns of all workers
  std::chrono::steady_clock::time_point seen_turns_since_;
  std::chrono::steady_clock::time_point next_relief_;
  std::uint64_t seen_progress_ = 0;
  std::uint64_t seen_batches_ = 0;
  std::thread monitor_;  ///< not joinable while the monitor runs on another thread
};

}  // namespace fw::http
