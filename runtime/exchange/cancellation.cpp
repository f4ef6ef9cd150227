#include "exchange/cancellation.hpp"

#include <system_error>
#include <utility>

namespace fw::detail {

void Cancellation::on_close(Handler handler) {
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::finished) return;
    if (state_ == State::open) {
      handlers_.push_back(std::move(handler));
      return;
    }
  }
  handler();
}

void Cancellation::disconnect() {
  std::vector<Handler> handlers;
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::open) return;
    state_ = State::disconnected;
    running_ = true;
    handlers = std::exchange(handlers_, {});
  }
  source_.request_stop();
  for (const Handler& handler : handlers) {
    try {
      handler();
    } catch (...) {
      // Ignored, because the other handlers must run, too.
    }
  }
  handlers.clear();
  {
    const std::lock_guard lock(mutex_);
    running_ = false;
  }
  handlers_done_.notify_all();
}

http::DisconnectCallback Cancellation::callback(const std::shared_ptr<Cancellation>& cancellation) {
  return {[cancellation] { cancellation->disconnect(); }, {cancellation, &cancellation->is_lost_}};
}

void Cancellation::request_stop() {
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::finished || stopper_.joinable()) return;
    try {
      stopper_ = std::thread([source = source_]() mutable { source.request_stop(); });
      return;
    } catch (const std::system_error&) {
      // The system has no thread left.
    }
  }
  source_.request_stop();
}

void Cancellation::finish() {
  if (is_lost_.load() || (outer_is_lost_ && outer_is_lost_->load())) disconnect();
  std::thread stopper;
  {
    std::unique_lock lock(mutex_);
    handlers_done_.wait(lock, [this] { return !running_; });
    state_ = State::finished;
    handlers_.clear();
    stopper.swap(stopper_);
  }
  if (stopper.joinable()) stopper.join();
}

}  // namespace fw::detail
