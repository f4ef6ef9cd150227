// The callbacks at the start and at the end of an application, and the set-up of its plugins.
#pragma once

#include <fairway/generated/route_table.hpp>

#include <atomic>
#include <functional>
#include <span>
#include <string>
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

// plugin_set_up.cpp: Sets up the plugins of a table in the order of their dependencies.

/// Runs `setup` of each plugin after its dependencies, otherwise in the given order, and adds its
/// callbacks to `lifecycle`. Appends an error for each file that does not export a plugin, missing
/// dependency, repeated name, cycle, and failed plugin. Skips plugins that depend on a failed one.
void set_up_plugins(std::span<const ComponentRow> plugins, const Environment& env,
                    Lifecycle& lifecycle, std::vector<std::string>& errors);

}  // namespace fw::detail
