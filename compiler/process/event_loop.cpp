#include "process/event_loop.hpp"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <system_error>
#include <utility>

namespace fairway::process {

void EventLoop::watch(int descriptor, short events, Ready ready) {
  const auto [watch, is_new] = watches_.try_emplace(descriptor);
  if (is_new) watch->second.first_round = round_ + 1;
  watch->second.events = events;
  watch->second.ready = std::move(ready);
}

void EventLoop::forget(int descriptor) { watches_.erase(descriptor); }

EventLoop::TimerId EventLoop::after(std::chrono::milliseconds delay,
                                    std::function<void()> callback) {
  timers_[++last_timer_] = {Clock::now() + delay, std::move(callback)};
  return last_timer_;
}

void EventLoop::cancel(TimerId timer) { timers_.erase(timer); }

int EventLoop::milliseconds_to_next_timer() const {
  if (timers_.empty()) return -1;
  const auto next =
      std::ranges::min_element(timers_, {}, [](const auto& timer) { return timer.second.due; });
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next->second.due - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

void EventLoop::run_due_timers() {
  std::vector<TimerId> due;
  for (const auto& [id, timer] : timers_) {
    if (timer.due <= Clock::now()) due.push_back(id);
  }
  for (const TimerId id : due) {
    const auto timer = timers_.find(id);
    if (timer == timers_.end()) continue;  // an earlier one has cancelled it
    const auto callback = std::move(timer->second.callback);
    timers_.erase(timer);
    callback();
  }
}

void EventLoop::run() {
  is_running_ = true;
  std::vector<pollfd> entries;
  while (is_running_) {
    entries.clear();
    ++round_;
    for (const auto& [descriptor, watch] : watches_) {
      entries.push_back({descriptor, watch.events, 0});
    }
    if (::poll(entries.data(), entries.size(), milliseconds_to_next_timer()) < 0 &&
        errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "poll");
    }
    for (const pollfd& entry : entries) {
      if (entry.revents == 0) continue;
      const auto watch = watches_.find(entry.fd);
      // An earlier callback may have closed the descriptor, and another one opened it again.
      if (watch == watches_.end() || watch->second.first_round > round_) continue;
      const Ready ready = watch->second.ready;
      ready(entry.revents);
    }
    run_due_timers();
  }
}

}  // namespace fairway::process
