// What tests observe of the handlers of typed.cpp and maps.cpp.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>

namespace notes {

/// The input that a handler still saw after its deadline.
class LateInput {
 public:
  void set(std::string text) {
    const std::lock_guard lock(mutex_);
    text_ = std::move(text);
    is_set_ = true;
    changed_.notify_all();
  }
  /// Empty if there is none for five seconds: the deadline may pass before the handler begins.
  std::string take() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(5), [this] { return is_set_; })) return {};
    is_set_ = false;
    return text_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_set_ = false;
  std::string text_;
};

}  // namespace notes
