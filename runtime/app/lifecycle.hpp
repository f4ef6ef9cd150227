// The callbacks at the start and at the end of an application.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "exchange/environment.hpp"

namespace fw::detail {

class Lifecycle {
 public:
  explicit Lifecycle(const Environment& env) : env_(env) {}

  /// Empty callbacks are ignored.
  void on_ready(std::function<void(App&)> callback);
  void on_close(std::function<void(App&)> callback);

  /// Runs the ready callbacks in order, then the hook. Throws StartupError if a callback fails.
  void announce_ready();
  /// Runs the close callbacks in reverse order, then the hook, once, and flushes the log.
  void close();

 private:
  const Environment& env_;
  std::vector<std::function<void(App&)>> ready_callbacks_;
  std::vector<std::function<void(App&)>> close_callbacks_;
  std::atomic<bool> closed_ = false;
};

}  // namespace fw::detail
