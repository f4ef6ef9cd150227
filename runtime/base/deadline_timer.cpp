#include "base/deadline_timer.hpp"

#include "base/signals.hpp"

namespace fw::base {

DeadlineTimer::Ticket DeadlineTimer::set(Clock::time_point when, std::function<void()> action) {
  bool is_first = false;
  Ticket ticket;
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) {
      thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    }
    ticket = {when, next_++};
    const auto entry = actions_.emplace(ticket, std::move(action)).first;
    is_first = entry == actions_.begin();
  }
  if (is_first) changed_.notify_one();
  return ticket;
}

void DeadlineTimer::cancel(const Ticket& ticket) {
  const std::lock_guard lock(mutex_);
  actions_.erase(ticket);
}

void DeadlineTimer::run(const std::stop_token& stop) {
  base::block_signals();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, stop, [this] { return !actions_.empty(); });
    if (stop.stop_requested()) return;
    const Ticket first = actions_.begin()->first;
    if (Clock::now() < first.first) {
      changed_.wait_until(lock, stop, first.first,
                          [&] { return actions_.empty() || actions_.begin()->first < first; });
      continue;
    }
    const auto action = actions_.extract(actions_.begin());
    lock.unlock();
    try {
      action.mapped()();
    } catch (...) {
      // There is no caller to report it to.
    }
    lock.lock();
  }
}

}  // namespace fw::base
