// [ignored-route-file]
#include <fmt/format.h>

#include <filesystem>

#include "rules/lints.hpp"

namespace fairway::rules {

void lint_ignored_route_files(const std::vector<std::string>& files,
                              model::Diagnostics& diagnostics) {
  Reporter reporter(diagnostics);
  for (const std::string& file : files) {
    model::Range whole_file;
    whole_file.file = file;
    const std::string ending = std::filesystem::path(file).extension().string();
    reporter.report(rules::ignored_route_file,
                    fmt::format("a '{}' file below routes/ is ignored", ending), whole_file,
                    "rename it to '.cpp', or move it out of routes/");
  }
}

}  // namespace fairway::rules
