#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.hpp"
#include "model/value_members.hpp"
#include "rules/route_rules.hpp"

namespace fairway::rules {
namespace {

std::string help_for(const std::vector<std::string>& names, std::string_view near) {
  if (!near.empty()) return fmt::format("did you mean '{}'?", near);
  if (names.empty()) return "the path has no parameters";
  std::string list;
  for (const std::string& name : names)
    list += fmt::format("{}'{}'", list.empty() ? "" : ", ", name);
  return fmt::format("the path has {}", list);
}

/// The only parameter with a similar name; empty if there are several or none.
std::string_view near_parameter(std::string_view name, const std::vector<std::string>& names) {
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto near = fw::base::near_names(name, candidates);
  return near.size() == 1 ? near.front() : std::string_view();
}

}  // namespace

std::string parameters_help(const std::vector<std::string>& names, std::string_view name) {
  return help_for(names, near_parameter(name, names));
}

void check_path_parameters(const model::Value& fields, const std::vector<std::string>& names,
                           Reporter& reporter) {
  for (const model::Value& entry : fields.items) {
    if (!is_named_entry(entry)) continue;
    const std::string name = entry_name(entry);
    if (std::ranges::find(names, name) != names.end()) continue;
    const std::string_view near = near_parameter(name, names);
    auto& error = reporter.report(rules::unknown_path_parameter,
                                  fmt::format("the path has no parameter '{}'", name),
                                  entry.items[0].range, help_for(names, near));
    const auto is_near = [&](const model::Value& other) {
      return is_named_entry(other) && entry_name(other) == near;
    };
    if (!near.empty() && std::ranges::none_of(fields.items, is_near)) {
      add_fix(error, entry.items[0], 0, name.size(), std::string(near));
    }
  }
}

}  // namespace fairway::rules
