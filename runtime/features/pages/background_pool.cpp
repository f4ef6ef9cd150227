#include "features/pages/background_pool.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace fw::detail {

BackgroundPool::BackgroundPool(Now now) : now_(std::move(now)) {
  pthread_sigmask(SIG_BLOCK, nullptr, &signals_);
}

bool BackgroundPool::Running::abandon() {
  const std::lock_guard lock(mutex_);
  if (pool_ == nullptr || std::exchange(is_abandoned_, true)) return false;
  pool_->replace(lane_);
  return true;
}

void BackgroundPool::Lane::want(std::uint64_t key, Clock::time_point now) {
  while (demand_.size() >= kMaxKeys) {
    for (auto& [each, wanted] : demand_) wanted.requests /= 2;
    std::erase_if(demand_, [](const auto& each) { return each.second.requests == 0; });
  }
  Demand& wanted = demand_.try_emplace(key, Demand{.since = now}).first->second;
  ++wanted.requests;
}

std::function<double(const BackgroundPool::Lane::Task&)> BackgroundPool::Lane::urgency_at(
    Clock::time_point now) const {
  return [this, now](const Task& task) -> double {
    const auto found = demand_.find(task.key);
    if (found == demand_.end()) return 0;
    const std::chrono::duration<double> wait = now - found->second.since + kShortWait;
    return found->second.requests * wait.count();
  };
}

BackgroundPool::Lane::Task BackgroundPool::Lane::take(std::deque<Task>::iterator task) {
  Task taken = std::move(*task);
  waiting_.erase(task);
  return taken;
}

void BackgroundPool::want(Lane& lane, std::string_view key) {
  const std::uint64_t hash = hash_(key);
  const std::lock_guard lock(mutex_);
  lane.want(hash, now_());
}

void BackgroundPool::post(Lane& lane, std::string_view key, Run task) {
  auto running = std::make_shared<Running>(*this, lane);
  const std::uint64_t hash = hash_(key);
  Lane::Task dropped;  // destroyed after the lock has ended
  const std::lock_guard lock(mutex_);
  if (is_stopped_) {
    dropped.run = std::move(task);
    return;
  }
  if (!lane.is_known_) lanes_.push_back(&lane);
  lane.is_known_ = true;
  lane.waiting_.push_back({hash, std::move(task), std::move(running)});
  if (lane.waiting_.size() > kMaxWaiting) {
    dropped = lane.take(std::ranges::min_element(lane.waiting_, {}, lane.urgency_at(now_())));
  }
  make_ready(lane);
  begin_thread();
}

void BackgroundPool::begin_thread() noexcept {
  const std::size_t most = kMaxThreads + std::min(abandoned_, kMaxAbandoned);
  if (is_stopped_ || ready_.size() <= idle_ || threads_.size() >= most) return;
  try {
    threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
  } catch (const std::exception&) {  // the system has no thread or no memory left
  }
}

bool BackgroundPool::may_run() const {
  // There may be more threads than that, because tasks that were abandoned have ended.
  return !ready_.empty() && running_ < kMaxThreads + std::min(abandoned_, kMaxAbandoned);
}

void BackgroundPool::replace(Lane& lane) {
  const std::lock_guard lock(mutex_);
  ++lane.abandoned_;
  ++abandoned_;
  make_ready(lane);
  changed_.notify_all();
  begin_thread();
}

void BackgroundPool::end(Running& running) {
  const std::lock_guard lock(running.mutex_);
  running.pool_ = nullptr;
}

void BackgroundPool::stop() {
  std::deque<Lane::Task> dropped;  // destroyed after the lock has ended
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
  ready_.clear();
  for (Lane* const lane : lanes_) {
    lane->is_ready_ = false;
    std::ranges::move(lane->waiting_, std::back_inserter(dropped));
    lane->waiting_.clear();
  }
}

bool BackgroundPool::wait_until(Clock::time_point time) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, time, [this] { return running_ == 0; });
}

void BackgroundPool::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return running_ == 0; });
}

void BackgroundPool::make_ready(Lane& lane) {
  const std::size_t most = kMaxOfLane + std::min(lane.abandoned_, kMaxOfLane);
  if (lane.is_ready_ || lane.waiting_.empty() || lane.running_ >= most) return;
  ready_.push_back(&lane);
  lane.is_ready_ = true;
  changed_.notify_one();
}

void BackgroundPool::run(const std::stop_token& stop) {
  pthread_sigmask(SIG_SETMASK, &signals_, nullptr);
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    const bool has_task = changed_.wait(lock, stop, [this] { return may_run(); });
    --idle_;
    if (!has_task || stop.stop_requested()) return;
    Lane& lane = *ready_.front();
    ready_.pop_front();
    lane.is_ready_ = false;
    Lane::Task task =
        lane.take(std::ranges::max_element(lane.waiting_, {}, lane.urgency_at(now_())));
    lane.demand_.erase(task.key);
    ++lane.running_;
    ++running_;
    make_ready(lane);
    begin_thread();
    lock.unlock();
    try {
      task.run(task.running);
    } catch (...) {  // without memory, a task cannot even log its error
    }
    task.run = nullptr;
    end(*task.running);
    lock.lock();
    --lane.running_;
    --running_;
    if (task.running->is_abandoned_) {
      --lane.abandoned_;
      --abandoned_;
    }
    if (is_stopped_) changed_.notify_all();
    make_ready(lane);
  }
}

}  // namespace fw::detail
