#include "client/call_signal.hpp"

#include <utility>

namespace fw::detail {

CallSignal::CallSignal(std::stop_token call)
    : call_(std::move(call)), task_(current_task() == nullptr ? Task{} : *current_task()) {
  if (call_.stop_possible()) on_call_.emplace(call_, [this] { request(); });
  if (task_.signal.stop_possible()) on_task_.emplace(task_.signal, [this] { request(); });
}

std::string CallSignal::reason() const {
  if (call_.stop_requested()) return "the signal was requested";
  if (task_.has_aborted_call) *task_.has_aborted_call = true;
  return std::string(task_.reason);
}

void CallSignal::watch(std::shared_ptr<client::Transfer> transfer) {
  std::unique_lock lock(mutex_);
  transfer_ = std::move(transfer);
  if (!is_requested_) return;
  const auto aborted = transfer_;
  lock.unlock();
  aborted->abort();
}

bool CallSignal::sleep_until(std::chrono::steady_clock::time_point time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_until(lock, time, [this] { return is_requested_; });
}

void CallSignal::request() {
  std::shared_ptr<client::Transfer> transfer;
  {
    const std::lock_guard lock(mutex_);
    is_requested_ = true;
    transfer = transfer_;
  }
  changed_.notify_all();
  if (transfer) transfer->abort();
}

}  // namespace fw::detail
