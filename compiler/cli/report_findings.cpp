#include "cli/report_findings.hpp"

#include <cstdlib>
#include <iostream>
#include <unistd.h>

#include "command/command.hpp"
#include "dev/stored_report.hpp"
#include "diagnostics/renderers.hpp"
#include "rules/catalogue.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

/// The path from the root of the workflow's repository to the working directory.
std::string path_in_workspace() {
  const char* workspace = std::getenv("GITHUB_WORKSPACE");
  if (workspace == nullptr || *workspace == '\0') return {};
  const fs::path path = fs::current_path().lexically_relative(fs::path(workspace));
  if (path.empty() || path == "." || *path.begin() == "..") return {};
  return path.generic_string() + '/';
}

}  // namespace

std::string findings_text(const diagnostics::Report& report, const ReportOptions& options) {
  dev::store_report(report);
  diagnostics::FileSourceText sources;
  return diagnostics::render_text(report, sources, use_color(options.color, STDERR_FILENO)) +
         diagnostics::render_text_summary(report) + '\n';
}

int report_findings(const diagnostics::Report& report, const ReportOptions& options,
                    std::ostream& machine) {
  diagnostics::FileSourceText sources;
  switch (options.format) {
    case DiagnosticsFormat::text:
      if (!report.diagnostics.empty()) std::cerr << findings_text(report, options);
      break;
    case DiagnosticsFormat::json:
      machine << diagnostics::render_json(report);
      break;
    case DiagnosticsFormat::sarif:
      machine << diagnostics::render_sarif(report, sources,
                                           {.rules = rules::catalogue(),
                                            .tool_version = FAIRWAY_VERSION,
                                            .working_directory = fs::current_path().string()});
      break;
    case DiagnosticsFormat::github:
      machine << diagnostics::render_github(report, sources, path_in_workspace());
      break;
  }
  return report.ok() ? command::kClean : command::kFindings;
}

}  // namespace fairway::cli
