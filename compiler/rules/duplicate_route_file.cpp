// [duplicate-route-file]
#include <fmt/format.h>

#include <map>
#include <vector>

#include "base/ascii.hpp"
#include "model/source_rules.hpp"
#include "rules/application_rules.hpp"

namespace fairway::rules {

void check_duplicate_route_files(const std::vector<model::RouteFile>& files,
                                 model::Diagnostics& diagnostics) {
  Reporter reporter(diagnostics);
  std::map<std::string, const model::RouteFile*> by_prefix;
  for (const model::RouteFile& file : files) {
    const auto [first, is_new] = by_prefix.emplace(fw::base::lower_case(file.prefix), &file);
    if (is_new) continue;
    const std::string& prefix = first->second->prefix;
    const std::string what =
        file.prefix == prefix ? fmt::format("both have the prefix '{}'", prefix)
                              : fmt::format("have prefixes that differ only in case: '{}' and '{}'",
                                            prefix, file.prefix);
    reporter
        .report(model::rules::duplicate_route_file,
                fmt::format("'{}' and '{}' {}", first->second->path, file.path, what),
                file.export_range, "merge the two files, or rename one")
        .notes.push_back({"the other file is here", first->second->export_range});
  }
}

}  // namespace fairway::rules
