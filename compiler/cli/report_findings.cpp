#include "cli/report_findings.hpp"

#include <array>
#include <cstdlib>
#include <iostream>
#include <unistd.h>

#include "dev/stored_report.hpp"
#include "diagnostics/renderers.hpp"
#include "rules/catalogue.hpp"

namespace fairway::cli {
namespace {

constexpr std::array<command::Choice<Color>, 3> kColors = {
    {{"auto", Color::automatic}, {"always", Color::always}, {"never", Color::never}}};
constexpr std::array<command::Choice<DiagnosticsFormat>, 4> kDiagnosticsFormats = {
    {{"text", DiagnosticsFormat::text},
     {"json", DiagnosticsFormat::json},
     {"sarif", DiagnosticsFormat::sarif},
     {"github", DiagnosticsFormat::github}}};

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

void ReportOptions::declare(command::Command& command, project::ProjectOptions& project) {
  const command::OptionGroup report = command.group("Report");
  report.choice("--diagnostics-format", "FORMAT", format, kDiagnosticsFormats,
                "format of errors and warnings: text (default), json, sarif (2.1.0) or github "
                "(workflow annotations)");
  declare_color(report, color);
  project.declare_jobs(report);
}

void ReportOptions::declare_old_spelling(command::Command& command) {
  command.group("").choice("--format", "FORMAT", format, kDiagnosticsFormats, "");
}

void declare_color(const command::OptionGroup& group, Color& color) {
  group.choice("--color", "WHEN", color, kColors,
               "auto (default), always or never; auto respects NO_COLOR");
}

bool use_color(Color color, int descriptor) {
  if (color != Color::automatic) return color == Color::always;
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && isatty(descriptor) == 1;
}

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
