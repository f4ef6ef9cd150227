// [duplicate-route-file]
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "check/application_rules.hpp"
#include "check/reporter.hpp"
#include "model/source_rules.hpp"

namespace fairway::check {

void check_duplicate_route_files(model::Application& application, model::Diagnostics& diagnostics) {
  Reporter reporter(diagnostics);
  std::map<std::string, const model::RouteFile*> by_prefix;
  std::vector<model::RouteFile> kept;
  kept.reserve(application.files.size());
  for (model::RouteFile& file : application.files) {
    std::string key = fw::base::lower_case(file.prefix);
    const auto first = by_prefix.find(key);
    if (first == by_prefix.end()) {
      kept.push_back(std::move(file));
      by_prefix.emplace(std::move(key), &kept.back());
      continue;
    }
    const std::string& prefix = first->second->prefix;
    const std::string what =
        file.prefix == prefix ? fmt::format("both have the prefix '{}'", prefix)
                              : fmt::format("have prefixes that differ only in case: '{}' and '{}'",
                                            prefix, file.prefix);
    reporter
        .report(rules::duplicate_route_file,
                fmt::format("'{}' and '{}' {}", first->second->path, file.path, what),
                file.export_range, "merge the two files, or rename one")
        .notes.push_back({"the other file is here", first->second->export_range});
  }
  application.files = std::move(kept);
}

}  // namespace fairway::check
