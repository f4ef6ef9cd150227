#include "base/deadline_timer.hpp"

#include "base/signals.hpp"

namespace fw::base {

DeadlineTimer::~DeadlineTimer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

DeadlineTimer::Ticket DeadlineTimer::set(Clock::time_point when, std::function<void()> action) {
  bool is_first = false;
  Ticket ticket;
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
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

void DeadlineTimer::run() {
  base::block_signals();
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (actions_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const Clock::time_point due = actions_.begin()->first.first;
    if (Clock::now() < due) {
      changed_.wait_until(lock, due);
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
