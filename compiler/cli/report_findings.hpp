// Reports errors and warnings: the findings of a run in the format of --diagnostics-format.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>

#include "command/command.hpp"
#include "diagnostics/report.hpp"
#include "project/project_options.hpp"

namespace fairway::cli {

enum class Color { automatic, always, never };
enum class DiagnosticsFormat { text, json, sarif, github };

/// How errors and warnings are reported.
struct ReportOptions {
  DiagnosticsFormat format = DiagnosticsFormat::text;
  Color color = Color::automatic;

  void declare(command::Command& command, project::ProjectOptions& project);
  /// Accepts `--format` for `--diagnostics-format`, in commands whose product has no format.
  void declare_old_spelling(command::Command& command);
};

void declare_color(const command::OptionGroup& group, Color& color);

/// Whether output to `descriptor` is coloured, by --color, NO_COLOR and the terminal.
bool use_color(Color color, int descriptor);

/// The findings as text with a summary, coloured if standard error is. Stores them for `fairway
/// dev` if it runs the build.
std::string findings_text(const diagnostics::Report& report, const ReportOptions& options);

/// Text goes to standard error with a summary, the other formats to `machine`: commands whose
/// product is on standard output pass standard error. Returns the exit status.
int report_findings(const diagnostics::Report& report, const ReportOptions& options,
                    std::ostream& machine);

// repair.cpp: `doctor --fix`, which applies the safe fixes to the sources.

/// Applies the fixes of the report to files below the working directory or the source directory,
/// and reports on standard error which were applied and which were not. Each file is replaced
/// atomically and keeps its permissions. Of fixes that overlap, the next one is applied to the
/// result of the first, which `inspect` reads again; at the end, the report is of the last files.
/// Throws UserError if a file cannot be written.
void make_repairs(diagnostics::Report& report, const std::filesystem::path& source_dir,
                  const std::function<diagnostics::Report()>& inspect);

}  // namespace fairway::cli
