#include "check/unknown_path_parameter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "check/members.hpp"

namespace fairway::check {
namespace {

std::string help_for(const std::vector<std::string>& names) {
  if (names.empty()) return "the path has no parameters";
  std::string list;
  for (const std::string& name : names)
    list += fmt::format("{}'{}'", list.empty() ? "" : ", ", name);
  return fmt::format("the path has {}", list);
}

}  // namespace

void check_path_parameters(const model::Value& fields, const std::vector<std::string>& names,
                           Reporter& reporter) {
  for (const model::Value& entry : fields.items) {
    if (!is_named_entry(entry)) continue;
    const std::string name = entry_name(entry);
    if (std::ranges::find(names, name) != names.end()) continue;
    reporter.error("unknown-path-parameter", fmt::format("the path has no parameter '{}'", name),
                   entry.items[0].range, help_for(names));
  }
}

}  // namespace fairway::check
