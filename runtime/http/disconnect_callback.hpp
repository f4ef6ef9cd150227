// What is called when a client disconnects.
#pragma once

#include <atomic>
#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace fw::http {

/// See `Transaction::on_disconnect`. The call may have to wait for a thread; until then, the flag
/// tells those who end the request.
class DisconnectCallback {
 public:
  DisconnectCallback() = default;
  /// `is_lost` is set as soon as the disconnect is detected; null: nobody looks at it.
  template <std::invocable F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, DisconnectCallback>)
  DisconnectCallback(F&& call, std::shared_ptr<std::atomic<bool>> is_lost = nullptr)
      : call_(std::forward<F>(call)), is_lost_(std::move(is_lost)) {}

  explicit operator bool() const { return call_ != nullptr; }

  /// Sets the flag. Who detects the disconnect calls it before the callback, with the lock under
  /// which the watch ends: whoever ends it later sees the flag.
  void mark_lost() const noexcept {
    if (is_lost_) is_lost_->store(true);
  }
  void operator()() const { call_(); }

 private:
  std::function<void()> call_;
  std::shared_ptr<std::atomic<bool>> is_lost_;
};

}  // namespace fw::http
