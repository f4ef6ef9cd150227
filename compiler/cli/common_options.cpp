#include "cli/common_options.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<Choice<Color>, 3> kColors = {
    {{"auto", Color::automatic}, {"always", Color::always}, {"never", Color::never}}};
constexpr std::array<Choice<DiagnosticsFormat>, 4> kDiagnosticsFormats = {
    {{"text", DiagnosticsFormat::text},
     {"json", DiagnosticsFormat::json},
     {"sarif", DiagnosticsFormat::sarif},
     {"github", DiagnosticsFormat::github}}};

bool can_write(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  return ::access(directory.c_str(), W_OK | X_OK) == 0;
}

/// The user's cache directory by the XDG base directory specification, which ignores relative
/// paths. Empty if there is none.
fs::path cache_of_user() {
  constexpr std::array<std::array<const char*, 2>, 2> kCacheDirs = {
      {{"XDG_CACHE_HOME", "fairway"}, {"HOME", ".cache/fairway"}}};
  for (const auto& [variable, folder] : kCacheDirs) {
    const char* start = std::getenv(variable);
    if (start == nullptr || *start != '/') continue;
    const fs::path directory = fs::path(start) / folder;
    if (can_write(directory)) return directory;
  }
  return {};
}

}  // namespace

void ProjectOptions::declare(Command& command, const std::string& name_help,
                             const std::string& default_cache) {
  const OptionGroup sources = command.group("Sources");
  sources.path("--source-dir", "DIR", source_dir,
               "directory that contains routes/, middlewares/ and plugins/; default: src");
  sources.path("--name", "NAME", name, name_help);
  sources.list("--middleware", "NAME", middlewares,
               "middleware that the program registers itself; may be repeated");
  sources.path("--cache-dir", "DIR", cache_dir, "cache directory; default: " + default_cache);
  sources.flag("--no-cache", no_cache,
               "ignore cached results, except the precompiled framework header");
  const OptionGroup flags = command.group("Compiler flags");
  flags.path("-p", "DIR", build_dir,
             "build directory with compile_commands.json; default: the nearest one; searched in "
             "the source "
             "directory and its parents, and in build/ and build/dev/ of each");
  flags.path("--objects", "DIR", objects,
             "if a file has several compile commands, use the one whose object file is below DIR");
  flags.path("--flags-file", "FILE", flags_file,
             "file with compiler flags, one per line, used instead of the build directory");
  command.words_after_dashes("Compiler flags", compiler_flags);
}

void ProjectOptions::declare_jobs(const OptionGroup& group) {
  group.count("--jobs", "N", jobs, "number of parallel jobs; default: the number of processors");
}

unsigned ProjectOptions::job_count() const {
  return jobs > 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
}

fs::path ProjectOptions::cache_directory() const {
  return cache_dir.empty() ? cache_of_user() : cache_dir;
}

void ReportOptions::declare(Command& command, ProjectOptions& project) {
  const OptionGroup report = command.group("Report");
  report.choice("--diagnostics-format", "FORMAT", format, kDiagnosticsFormats,
                "format of errors and warnings: text (default), json, sarif (2.1.0) or github "
                "(workflow annotations)");
  declare_color(report, color);
  project.declare_jobs(report);
}

void ReportOptions::declare_old_spelling(Command& command) {
  command.group("").choice("--format", "FORMAT", format, kDiagnosticsFormats, "");
}

void declare_color(const OptionGroup& group, Color& color) {
  group.choice("--color", "WHEN", color, kColors,
               "auto (default), always or never; auto respects NO_COLOR");
}

bool use_color(Color color, int descriptor) {
  if (color != Color::automatic) return color == Color::always;
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && isatty(descriptor) == 1;
}

}  // namespace fairway::cli
