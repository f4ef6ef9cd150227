// Decides when a worker that has ended is restarted.
#pragma once

#include <fairway/config.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>

namespace fw::cluster {

/// The policy for one worker. The delay doubles with each end within the window.
class RestartPolicy {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RestartPolicy(const ClusterConfig& config) : config_(config) {}

  /// Records an end and returns the delay before the restart; empty if there were too many ends.
  std::optional<std::chrono::milliseconds> note_end(Clock::time_point now);

 private:
  ClusterConfig config_;
  std::deque<Clock::time_point> ends_;  ///< within the window
};

inline std::optional<std::chrono::milliseconds> RestartPolicy::note_end(Clock::time_point now) {
  const std::chrono::milliseconds window(config_.restart_window);
  while (!ends_.empty() && now - ends_.front() >= window) ends_.pop_front();
  if (ends_.size() >= static_cast<std::size_t>(config_.max_restarts)) return std::nullopt;
  auto delay = config_.restart_delay;
  for (std::size_t i = 0; i < ends_.size() && delay < config_.max_restart_delay; ++i) delay *= 2;
  ends_.push_back(now);
  return std::chrono::milliseconds(std::min(delay, config_.max_restart_delay));
}

}  // namespace fw::cluster
