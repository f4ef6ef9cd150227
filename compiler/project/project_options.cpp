#include "project/project_options.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace fairway::project {
namespace {

namespace fs = std::filesystem;

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

void ProjectOptions::declare(command::Command& command, const std::string& name_help,
                             const std::string& default_cache) {
  const command::OptionGroup sources = command.group("Sources");
  sources.path("--source-dir", "DIR", source_dir,
               "directory that contains routes/, middlewares/ and plugins/; default: src");
  sources.path("--name", "NAME", name, name_help);
  sources.list("--middleware", "NAME", middlewares,
               "middleware that the program registers itself; may be repeated");
  sources.path("--cache-dir", "DIR", cache_dir, "cache directory; default: " + default_cache);
  sources.flag("--no-cache", no_cache,
               "ignore cached results, except the precompiled framework header");
  const command::OptionGroup flags = command.group("Compiler flags");
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

void ProjectOptions::declare_jobs(const command::OptionGroup& group) {
  group.count("--jobs", "N", jobs, "number of parallel jobs; default: the number of processors");
}

unsigned ProjectOptions::job_count() const {
  return jobs > 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
}

fs::path ProjectOptions::cache_directory() const {
  return cache_dir.empty() ? cache_of_user() : cache_dir;
}

}  // namespace fairway::project
