// An application on disk, read and resolved: what every command starts with.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "check/resolve.hpp"
#include "cli/arguments.hpp"
#include "diagnostics/report.hpp"

namespace fairway::cli {

struct Project {
  model::Application application;         ///< complete when the report has no error
  std::vector<model::ParsedFile> parsed;  ///< what `application` was resolved from
  diagnostics::Report report;
  std::vector<std::string> source_files;  ///< below the source directory, sorted
  std::set<std::string> dependencies;     ///< absolute paths of everything read
};

/// Finds the source files, reads them in parallel and resolves them. Throws UsageError and
/// frontend::EnvironmentError.
Project read_project(const Arguments& arguments);

}  // namespace fairway::cli
