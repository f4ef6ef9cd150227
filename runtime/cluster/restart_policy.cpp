#include "cluster/restart_policy.hpp"

#include <algorithm>
#include <cstddef>

namespace fw::cluster {

std::optional<std::chrono::milliseconds> RestartPolicy::note_end(Clock::time_point now) {
  const std::chrono::milliseconds window(config_.restart_window);
  while (!ends_.empty() && now - ends_.front() >= window) ends_.pop_front();
  if (ends_.size() >= static_cast<std::size_t>(config_.max_restarts)) return std::nullopt;
  auto delay = config_.restart_delay;
  for (std::size_t i = 0; i < ends_.size() && delay < config_.max_restart_delay; ++i) delay *= 2;
  ends_.push_back(now);
  return std::chrono::milliseconds(std::min(delay, config_.max_restart_delay));
}

}  // namespace fw::cluster
