// The threads that handle events. There is always somebody to take the next event, however many
// handlers block.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

#include "http/epoll/poller.hpp"

namespace fw::http {

/// Workers take events from the poller's queue, or wait for some. When all are busy or events
/// queue, an overseer looks every millisecond which workers do not come back: it wakes idle ones
/// for a queue that stands still, and adds workers until `min` of them are not blocked, or `max` is
/// reached. Workers above `min` that find nothing to do leave.
class WorkerPool {
 public:
  struct Limits {
    std::size_t min;
    std::size_t max;
    std::chrono::milliseconds idle_timeout;
  };

  /// `handle` runs on workers, `tick` on the overseer, every `tick_interval`.
  WorkerPool(Poller& poller, Limits limits, std::function<void(const Poller::Event&)> handle,
             std::function<void()> tick, std::chrono::milliseconds tick_interval);
  /// Waits until every worker has come back.
  ~WorkerPool();

  /// Workers that handle an event at this moment.
  std::size_t busy() const;
  std::size_t size() const { return size_.load(); }

  /// Has every worker leave once it has finished what it does.
  void request_stop();

 private:
  struct Worker {
    std::atomic<std::uint32_t> turns{0};  ///< odd while it handles an event
    std::atomic<int> kernel_id{0};
    std::atomic<bool> has_left{false};
    std::thread thread;
    // The overseer's:
    std::uint32_t seen_turns = 0;
    int unchanged_samples = 0;
    bool is_blocked = false;
  };

  void work(Worker& worker);
  /// Nothing if the wait was in vain.
  std::optional<Poller::Event> take();
  bool may_leave();
  void alert();
  void oversee();
  void balance();
  static void update(Worker& worker);
  bool add_worker();

  Poller& poller_;
  const Limits limits_;
  const std::function<void(const Poller::Event&)> handle_;
  const std::function<void()> tick_;
  const std::chrono::milliseconds tick_interval_;

  std::atomic<std::size_t> size_{0};
  std::atomic<std::size_t> idle_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> alert_is_armed_{true};

  std::mutex leaving_mutex_;  ///< workers leave one after the other
  std::mutex overseer_mutex_;
  std::condition_variable overseer_wakes_;
  bool is_alerted_ = false;
  std::list<Worker> workers_;  ///< the overseer's, once it runs, as is the next
  std::uint64_t seen_dequeued_ = 0;
  std::thread overseer_;
};

}  // namespace fw::http
