// Options that several commands share.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace fairway::cli {

/// The help of --name in commands that use it to select compiler flags.
inline constexpr const char* kNameOfFlags =
    "if several applications compile the same files, use the compiler flags of the one with this "
    "name: the NAME argument of its fairway_add_app call, or its CMake target";
inline constexpr const char* kUserCache = "fairway/ in the user's cache directory";

/// The sources of an application, and the way to read them.
struct ProjectOptions {
  std::filesystem::path source_dir = "src";
  std::string name;                      ///< of the application or its CMake target
  std::vector<std::string> middlewares;  ///< those that the program registers itself
  std::filesystem::path cache_dir;       ///< empty: the user's cache directory
  bool no_cache = false;
  std::filesystem::path build_dir;  ///< empty: the nearest one
  std::filesystem::path objects;
  std::filesystem::path flags_file;
  std::vector<std::string> compiler_flags;  ///< those after `--`
  unsigned jobs = 0;                        ///< 0: the number of processors

  /// Declares everything but --jobs.
  void declare(Command& command, const std::string& name_help = kNameOfFlags,
               const std::string& default_cache = kUserCache);
  void declare_jobs(const OptionGroup& group);
  unsigned job_count() const;
  /// Empty if the user has none.
  std::filesystem::path cache_directory() const;
};

enum class Color { automatic, always, never };
enum class DiagnosticsFormat { text, json, sarif, github };

/// How errors and warnings are reported.
struct ReportOptions {
  DiagnosticsFormat format = DiagnosticsFormat::text;
  Color color = Color::automatic;

  void declare(Command& command, ProjectOptions& project);
  /// Accepts `--format` for `--diagnostics-format`, in commands whose product has no format.
  void declare_old_spelling(Command& command);
};

void declare_color(const OptionGroup& group, Color& color);

/// Whether output to `descriptor` is coloured, by --color, NO_COLOR and the terminal.
bool use_color(Color color, int descriptor);

}  // namespace fairway::cli
