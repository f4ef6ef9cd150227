// Runs callbacks of the application for a thread that must not be delayed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "http/disconnect_callback.hpp"

namespace fw::http {

/// The monitor of the workers detects that clients have disconnected while no worker is free. What
/// the application does then may take long, so it runs on a thread of its own, which starts with
/// the first callback. Callbacks of other threads run at once. Thread-safe.
class CallbackThread {
 public:
  CallbackThread() = default;
  CallbackThread(const CallbackThread&) = delete;
  CallbackThread& operator=(const CallbackThread&) = delete;
  /// Waits for the callbacks, unless one of them destroys the object.
  ~CallbackThread() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(state_->mutex);
      state_->ends = true;
    }
    state_->changed.notify_one();
    if (thread_.get_id() == std::this_thread::get_id()) {
      thread_.detach();
    } else {
      thread_.join();
    }
  }

  /// From now on, callbacks of the calling thread run on the other one.
  void protect_this_thread() {
    protected_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  }
  bool protects_this_thread() const {
    return protected_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }

  /// A callback must not throw. Needs no memory: it may have run out.
  void run(DisconnectCallback callback) {
    if (!protects_this_thread() || !post(callback)) callback();
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<DisconnectCallback> callbacks;
    bool ends = false;
  };

  /// Only called by the protected thread. Returns false, and leaves the callback, if the system has
  /// no thread or no memory left.
  bool post(DisconnectCallback& callback) {
    try {
      if (!thread_.joinable()) {
        thread_ = std::thread([state = state_] { work(*state); });
      }
      const std::lock_guard lock(state_->mutex);
      state_->callbacks.emplace_back();
      state_->callbacks.back() = std::move(callback);
    } catch (const std::exception&) {
      return false;
    }
    state_->changed.notify_one();
    return true;
  }

  static void work(State& state) {
    std::unique_lock lock(state.mutex);
    while (true) {
      state.changed.wait(lock, [&] { return state.ends || !state.callbacks.empty(); });
      if (state.callbacks.empty()) return;
      DisconnectCallback callback = std::move(state.callbacks.front());
      state.callbacks.pop_front();
      lock.unlock();
      callback();
      callback = {};
      lock.lock();
    }
  }

  std::atomic<std::thread::id> protected_{};
  const std::shared_ptr<State> state_ = std::make_shared<State>();
  std::thread thread_;  ///< used by the protected thread only, until the destructor
};

}  // namespace fw::http
