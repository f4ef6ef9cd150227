// Runs callbacks of the application for a thread that must not be delayed.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "http/disconnect_callback.hpp"

namespace fw::http {

/// The monitor of the workers detects that clients have disconnected while no worker is free. What
/// the application does then may take long, so it runs on threads of its own. They start when they
/// are needed, up to `kMaxThreads`: so many slow callbacks do not delay the others. Callbacks of
/// other threads run at once. Thread-safe.
class CallbackThreads {
 public:
  static constexpr std::size_t kMaxThreads = 8;

  CallbackThreads() = default;
  CallbackThreads(const CallbackThreads&) = delete;
  CallbackThreads& operator=(const CallbackThreads&) = delete;
  /// Waits for the callbacks, unless one of them destroys the object.
  ~CallbackThreads() {
    {
      const std::lock_guard lock(state_->mutex);
      state_->ends = true;
    }
    state_->changed.notify_all();
    for (std::thread& thread : threads_) {
      if (!thread.joinable()) continue;
      if (thread.get_id() == std::this_thread::get_id()) {
        thread.detach();
      } else {
        thread.join();
      }
    }
  }

  /// From now on, callbacks of the calling thread run on the other ones.
  void protect_this_thread() {
    protected_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  }
  /// Callbacks of the calling thread run at once again.
  void end_protection() {
    auto own = std::this_thread::get_id();
    protected_.compare_exchange_strong(own, {});
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
    std::size_t idle = 0;  ///< threads that wait, or have not begun to
    bool ends = false;
  };

  /// Only called by a protected thread. Returns false, and leaves the callback, if the system has
  /// no thread or no memory left.
  bool post(DisconnectCallback& callback) {
    {
      const std::lock_guard lock(state_->mutex);
      if (state_->callbacks.size() >= state_->idle) start_thread();
      if (count_ == 0) return false;
      try {
        state_->callbacks.emplace_back();
      } catch (const std::exception&) {
        return false;
      }
      state_->callbacks.back() = std::move(callback);
    }
    state_->changed.notify_one();
    return true;
  }

  /// With the lock. Without one more, those that have started do the work.
  void start_thread() {
    if (count_ == kMaxThreads) return;
    try {
      threads_[count_] = std::thread([state = state_] { work(*state); });
    } catch (const std::exception&) {
      return;
    }
    ++count_;
    ++state_->idle;
  }

  static void work(State& state) {
    std::unique_lock lock(state.mutex);
    while (true) {
      state.changed.wait(lock, [&] { return state.ends || !state.callbacks.empty(); });
      if (state.callbacks.empty()) return;
      DisconnectCallback callback = std::move(state.callbacks.front());
      state.callbacks.pop_front();
      --state.idle;
      lock.unlock();
      callback();
      callback = {};
      lock.lock();
      ++state.idle;
    }
  }

  std::atomic<std::thread::id> protected_{};
  const std::shared_ptr<State> state_ = std::make_shared<State>();
  /// Used by protected threads only, with the lock of the state, until the destructor.
  std::array<std::thread, kMaxThreads> threads_;
  std::size_t count_ = 0;
};

}  // namespace fw::http
