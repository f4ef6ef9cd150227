// The options that say where the sources of a project are, and how they are compiled.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "command/command.hpp"

namespace fairway::project {

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
  void declare(command::Command& command, const std::string& name_help = kNameOfFlags,
               const std::string& default_cache = kUserCache);
  void declare_jobs(const command::OptionGroup& group);
  unsigned job_count() const;
  /// Empty if the user has none.
  std::filesystem::path cache_directory() const;
};

}  // namespace fairway::project
