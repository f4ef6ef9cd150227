// How commands report errors and warnings, and whether in colour.
#pragma once

#include "command/command.hpp"
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

}  // namespace fairway::cli
