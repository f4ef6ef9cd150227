// Plugins: setup code with a name and dependencies.
#pragma once

#include <fairway/text.hpp>

#include <functional>
#include <utility>

namespace fw {

class App;

/// Plugins are set up in topological order of `dependencies`; a cycle or a missing plugin is a
/// startup error.
struct Plugin {
  Text name = {};              ///< unique; required
  TextList dependencies = {};  ///< names of plugins that are set up before
  /// Runs before the routes are registered, on the thread of `listen` or `start`. An exception
  /// prevents the start.
  std::function<void(App&)> setup = {};
  std::function<void(App&)> on_ready = {};  ///< runs when the port is open
  std::function<void(App&)> on_close = {};  ///< runs when no handler is running any more
};

/// The default export of a file in `src/plugins`.
class PluginDefinition {
 public:
  /// See `define_plugin`.
  explicit PluginDefinition(Plugin plugin) : plugin_(std::move(plugin)) {}
  /// As given.
  const Plugin& plugin() const { return plugin_; }

 private:
  Plugin plugin_;
};

/// The default export of a plugin file: `FW_EXPORT_DEFAULT = fw::define_plugin({.name = …});`.
inline PluginDefinition define_plugin(Plugin plugin) { return PluginDefinition(std::move(plugin)); }

}  // namespace fw
