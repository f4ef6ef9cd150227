// The cancellation of an outbound call: its own signal, and the signal of its background task.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "client/transfer.hpp"
#include "exchange/task.hpp"

namespace fw::detail {

class CallSignal {
 public:
  explicit CallSignal(std::stop_token call);
  CallSignal(const CallSignal&) = delete;
  CallSignal& operator=(const CallSignal&) = delete;

  bool is_requested() const { return call_.stop_requested() || task_.signal.stop_requested(); }
  /// The reason for an AbortError.
  std::string reason() const;
  /// Sets the transfer to abort. Aborts it at once if the signal has been requested.
  void watch(std::shared_ptr<client::Transfer> transfer);
  /// Waits until `time`. Returns false if the signal was requested.
  bool sleep_until(std::chrono::steady_clock::time_point time);

 private:
  void request();

  const std::stop_token call_;
  const Task task_;  ///< the task of the calling thread; without a signal if there is none

  std::mutex mutex_;  // guards the following members
  std::condition_variable changed_;
  bool is_requested_ = false;
  std::shared_ptr<client::Transfer> transfer_;

  // Last, because the callbacks may run until these are destroyed.
  std::optional<std::stop_callback<std::function<void()>>> on_call_;
  std::optional<std::stop_callback<std::function<void()>>> on_task_;
};

}  // namespace fw::detail
