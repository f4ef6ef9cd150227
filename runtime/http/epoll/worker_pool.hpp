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
/// queue, an overseer looks every millisecond whether somebody is free: it wakes idle workers for a
/// queue that stands still. While nobody is, it looks at what some of the workers do: when most of
/// them wait for something, and none is on a processor or wants to be, more workers help, up to
/// `max`; when they compute, more would only take turns. Workers above `min` that find nothing to
/// do leave.
class WorkerPool {
 public:
  struct Limits {
    std::size_t min;
    std::size_t max;
    std::chrono::milliseconds idle_timeout;
  };

  /// `handle` runs on workers, and must not throw; `tick` on the overseer, every `tick_interval`,
  /// with the number of workers that are busy. Throws std::system_error when the system has no
  /// thread for the overseer or the first worker.
  WorkerPool(Poller& poller, Limits limits, std::function<void(const Poller::Event&)> handle,
             std::function<void(std::size_t)> tick, std::chrono::milliseconds tick_interval);
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
  };

  void work(Worker& worker);
  /// Nothing if the wait was in vain.
  std::optional<Poller::Event> take();
  bool may_leave();
  void alert();
  void oversee();
  void wake_idle();
  void balance();
  void look_at_some();
  static bool is_waiting(const Worker& worker);
  void join_those_that_left();
  /// Throws std::system_error.
  void add_worker();
  void end_threads();

  Poller& poller_;
  const Limits limits_;
  const std::function<void(const Poller::Event&)> handle_;
  const std::function<void(std::size_t)> tick_;
  const std::chrono::milliseconds tick_interval_;

  std::atomic<std::size_t> size_{0};
  std::atomic<std::size_t> idle_{0};
  std::atomic<std::size_t> left_{0};  ///< workers to be joined
  std::atomic<bool> stopping_{false};
  std::atomic<bool> alert_is_armed_{true};

  std::mutex leaving_mutex_;  ///< workers leave one after the other
  std::mutex overseer_mutex_;
  std::condition_variable overseer_wakes_;
  bool is_alerted_ = false;
  // The overseer's, once it runs:
  std::list<Worker> workers_;
  std::list<Worker>::iterator next_look_ = workers_.end();
  std::size_t looks_ = 0;
  std::size_t waiting_looks_ = 0;  ///< of these, that found the worker waiting
  std::chrono::milliseconds look_interval_{1};
  std::chrono::steady_clock::time_point next_look_at_;
  std::uint64_t seen_dequeued_ = 0;
  std::thread overseer_;
};

}  // namespace fw::http
