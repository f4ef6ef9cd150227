// Decides when a worker that has ended is restarted.
#pragma once

#include <fairway/config.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>

namespace fw::cluster {

/// The policy for one worker. The delay doubles with each exit within the window, up to the
/// maximum, which also follows every exit beyond the permitted number.
class RestartPolicy {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RestartPolicy(const ClusterConfig& config) : config_(config) {}

  struct Restart {
    std::chrono::milliseconds delay;
    bool is_too_often;  ///< more than `max_restarts` in the window

    bool operator==(const Restart&) const = default;
  };
  /// Records an exit.
  Restart note_end(Clock::time_point now);

 private:
  ClusterConfig config_;
  std::deque<Clock::time_point> ends_;  ///< within the window
};

inline RestartPolicy::Restart RestartPolicy::note_end(Clock::time_point now) {
  const std::chrono::milliseconds window(config_.restart_window);
  while (!ends_.empty() && now - ends_.front() >= window) ends_.pop_front();
  const bool is_too_often = ends_.size() >= static_cast<std::size_t>(config_.max_restarts);
  auto delay = is_too_often ? config_.max_restart_delay : config_.restart_delay;
  for (std::size_t i = 0; i < ends_.size() && delay < config_.max_restart_delay; ++i) delay *= 2;
  ends_.push_back(now);
  return {std::chrono::milliseconds(std::min(delay, config_.max_restart_delay)), is_too_often};
}

}  // namespace fw::cluster
