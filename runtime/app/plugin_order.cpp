#include "app/plugin_order.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>

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

}  // namespace

std::vector<const Plugin*> order_plugins(const std::vector<const Plugin*>& plugins,
                                         std::vector<std::string>& errors) {
  const std::size_t before = errors.size();
  Ordering ordering(plugins, errors);
  if (errors.size() != before) return {};
  return ordering.take();
}

}  // namespace fw::detail
