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
  Text name = {};
  TextList dependencies = {};
  std::function<void(App&)> setup = {};
  std::function<void(App&)> on_ready = {};
  std::function<void(App&)> on_close = {};
};

/// The default export of a file in `src/plugins`.
class PluginDefinition {
 public:
  explicit PluginDefinition(Plugin plugin) : plugin_(std::move(plugin)) {}
  const Plugin& plugin() const { return plugin_; }

 private:
  Plugin plugin_;
};

inline PluginDefinition define_plugin(Plugin plugin) { return PluginDefinition(std::move(plugin)); }

}  // namespace fw
