#include <fairway/define_routes.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "app/lifecycle.hpp"
#include "errors/exception_info.hpp"

namespace fw::detail {
namespace {

enum class Visit { open, done };

class Ordering {
 public:
  Ordering(const std::vector<const Plugin*>& plugins, std::vector<std::string>& errors)
      : errors_(errors) {
    for (const Plugin* plugin : plugins) {
      if (!by_name_.emplace(plugin->name.str(), plugin).second) {
        errors_.push_back(fmt::format("there are two plugins named '{}'", plugin->name.str()));
      }
    }
    for (const Plugin* plugin : plugins) visit(*plugin);
  }

  std::vector<const Plugin*> take() { return std::move(order_); }

 private:
  void visit(const Plugin& plugin) {
    const std::string& name = plugin.name.str();
    const auto known = visits_.find(name);
    if (known != visits_.end()) {
      if (known->second == Visit::open) report_cycle(name);
      return;
    }
    visits_[name] = Visit::open;
    path_.push_back(name);
    for (const Text& dependency : plugin.dependencies) {
      const auto found = by_name_.find(dependency.str());
      if (found == by_name_.end()) {
        errors_.push_back(fmt::format("plugin '{}' depends on '{}', but there is no such plugin",
                                      name, dependency.str()));
      } else {
        visit(*found->second);
      }
    }
    path_.pop_back();
    visits_[name] = Visit::done;
    order_.push_back(&plugin);
  }

  void report_cycle(const std::string& name) {
    const auto start = std::find(path_.begin(), path_.end(), name);
    errors_.push_back(fmt::format("plugins depend on each other in a circle: {} -> {}",
                                  fmt::join(start, path_.end(), " -> "), name));
  }

  std::vector<std::string>& errors_;
  std::map<std::string, const Plugin*, std::less<>> by_name_;
  std::map<std::string, Visit, std::less<>> visits_;
  std::vector<std::string> path_;
  std::vector<const Plugin*> order_;
};

/// The plugins, each after its dependencies; empty if there are errors.
std::vector<const Plugin*> order_plugins(const std::vector<const Plugin*>& plugins,
                                         std::vector<std::string>& errors) {
  const std::size_t before = errors.size();
  Ordering ordering(plugins, errors);
  if (errors.size() != before) return {};
  return ordering.take();
}

/// Returns the error, if there is one.
std::optional<std::string> set_up(const Plugin& plugin, const Environment& env) {
  hooks::PluginBeforeSetup before{env.app, plugin.name};
  env.hooks.emit(before, env.logger);
  try {
    if (plugin.setup) plugin.setup(env.app);
  } catch (...) {
    const std::exception_ptr error = std::current_exception();
    hooks::PluginError event{env.app, plugin.name, error};
    env.hooks.emit(event, env.logger);
    return fmt::format("plugin '{}': {}", plugin.name.str(), describe(error).stack);
  }
  return std::nullopt;
}

}  // namespace

void set_up_plugins(std::span<const ComponentRow> rows, const Environment& env,
                    Lifecycle& lifecycle, std::vector<std::string>& errors) {
  std::vector<const Plugin*> plugins;
  std::map<const Plugin*, std::string_view> files;
  for (const ComponentRow& row : rows) {
    const PluginDefinition* definition = row.definition->plugin();
    if (definition == nullptr) {
      errors.push_back(
          fmt::format("{}: the default export is not a value of fw::define_plugin", row.file));
      continue;
    }
    plugins.push_back(&definition->plugin());
    files.emplace(plugins.back(), row.file);
  }
  std::set<std::string, std::less<>> failed;  // including plugins that depend on a failed one
  for (const Plugin* plugin : order_plugins(plugins, errors)) {
    const auto& dependencies = plugin->dependencies;
    if (std::any_of(dependencies.begin(), dependencies.end(),
                    [&](const Text& name) { return failed.contains(name.str()); })) {
      failed.insert(plugin->name.str());
      continue;
    }
    if (const auto error = set_up(*plugin, env)) {
      errors.push_back(fmt::format("{}: {}", files.at(plugin), *error));
      failed.insert(plugin->name.str());
      continue;
    }
    lifecycle.on_ready(plugin->on_ready);
    lifecycle.on_close(plugin->on_close);
    hooks::PluginAfterSetup after{env.app, plugin->name};
    env.hooks.emit(after, env.logger);
  }
}

}  // namespace fw::detail
