#include "pipeline/background_pool.hpp"

#include <utility>

namespace fw::detail {

bool BackgroundPool::post(Lane& lane, std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  if (lane.waiting.size() >= kMostWaiting) return false;
  lane.waiting.push_back(std::move(task));
  make_ready(lane);
  if (ready_.size() > idle_ && threads_.size() < kMostThreads) {
    threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
  }
  return true;
}

void BackgroundPool::make_ready(Lane& lane) {
  if (lane.is_ready || lane.waiting.empty() || lane.running == kMostOfLane) return;
  lane.is_ready = true;
  ready_.push_back(&lane);
  changed_.notify_one();
}

void BackgroundPool::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    const bool has_task = changed_.wait(lock, stop, [this] { return !ready_.empty(); });
    --idle_;
    if (!has_task || stop.stop_requested()) return;
    Lane& lane = *ready_.front();
    ready_.pop_front();
    lane.is_ready = false;
    std::function<void()> task = std::move(lane.waiting.front());
    lane.waiting.pop_front();
    ++lane.running;
    make_ready(lane);
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    --lane.running;
    make_ready(lane);
  }
}

}  // namespace fw::detail
