// When a worker that has ended is started again.
#pragma once

#include <fairway/config.hpp>

#include <chrono>
#include <deque>
#include <optional>

namespace fw::cluster {

/// Of one worker. The delay doubles with each end within the window.
class RestartPolicy {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RestartPolicy(const ClusterConfig& config) : config_(config) {}

  /// Notes an end, and says how long to wait; nothing if there have been too many.
  std::optional<std::chrono::milliseconds> note_end(Clock::time_point now);

 private:
  ClusterConfig config_;
  std::deque<Clock::time_point> ends_;  ///< within the window
};

}  // namespace fw::cluster
