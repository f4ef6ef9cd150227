#include "cli/report_options.hpp"

#include <array>
#include <cstdlib>
#include <unistd.h>

namespace fairway::cli {
namespace {

constexpr std::array<command::Choice<Color>, 3> kColors = {
    {{"auto", Color::automatic}, {"always", Color::always}, {"never", Color::never}}};
constexpr std::array<command::Choice<DiagnosticsFormat>, 4> kDiagnosticsFormats = {
    {{"text", DiagnosticsFormat::text},
     {"json", DiagnosticsFormat::json},
     {"sarif", DiagnosticsFormat::sarif},
     {"github", DiagnosticsFormat::github}}};

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

}  // namespace fairway::cli
