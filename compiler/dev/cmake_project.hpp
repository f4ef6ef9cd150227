// The CMake project in a folder: how it is configured and built, and which program it makes.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fairway::dev {

// compiler_choice.cpp: The C++ compiler of a new build folder, if none is chosen: Clang, because it
// compiles a file with a precompiled header in less than half the time of GCC.

/// Whether the environment chooses the compiler.
bool has_compiler_in_environment();

struct CompilerCandidate {
  std::string name;         ///< a program in PATH
  unsigned oldest_clang;    ///< the check fails for older versions of Clang, and other compilers
  bool is_default = false;  ///< CMake takes it by default

  /// The C compiler that belongs to it.
  std::string c_compiler() const;
};

/// The compilers to check, in this order, until a check succeeds: the default of CMake, which may
/// be Clang already, and the versions of Clang in PATH, the newest first.
std::vector<CompilerCandidate> compiler_candidates();

/// A command that compiles and links a C++20 program with the standard library of GCC, which
/// Fairway's installed libraries use. Its files are written to `folder`.
std::vector<std::string> check_command(const CompilerCandidate& candidate,
                                       const std::filesystem::path& folder);

// cmake_project.cpp

/// Relative to the folder of a project.
inline constexpr const char* kDefaultBuildFolder = "build/dev";

class CmakeProject {
 public:
  /// `target` may be empty: the executable with the name of the project, or its only one. Throws
  /// UserError if there is no project in `folder`.
  CmakeProject(std::filesystem::path folder, std::filesystem::path build_folder,
               std::string target);

  const std::filesystem::path& folder() const { return folder_; }
  const std::filesystem::path& build_folder() const { return build_folder_; }
  /// For files of `fairway dev` itself, in the build folder.
  std::filesystem::path scratch_folder() const;
  /// For the findings of the commands of the build (dev/stored_report.hpp).
  std::filesystem::path reports_folder() const { return scratch_folder() / "reports"; }
  /// For a BuildLock.
  std::filesystem::path lock_file() const { return scratch_folder() / "lock"; }

  /// Whether the build folder is to be configured from the start: CMake has no cache there, or only
  /// one with a compiler that `fairway dev` chose, and the project now names another one.
  bool is_new() const;
  bool is_configured() const;
  /// Whether the environment or the preset `dev` chooses the compiler.
  bool is_compiler_chosen() const;
  /// The command that configures the project, with the preset `dev` if there is one. `extra` and
  /// `compiler` are used only for a new build folder. Makes CMake write lists of its targets,
  /// compilers and files, which `program`, `cxx_compiler` and `cmake_files` read.
  std::vector<std::string> configure_command(
      const std::vector<std::string>& extra,
      const std::optional<CompilerCandidate>& compiler) const;
  /// Makes a build folder new again, after an error.
  void forget_configuration() const;
  /// The file name of the C++ compiler according to the last configuration; empty if there is none.
  std::string cxx_compiler() const;
  /// The command that builds the target, or everything if it is empty.
  std::vector<std::string> build_command(const std::string& target) const;

  struct Program {
    std::string target;
    std::filesystem::path file;
  };
  /// The program according to the last configuration. Throws UserError if the target is ambiguous.
  Program program() const;
  /// The files that the last configuration has read, without files of CMake itself. Empty if they
  /// are not known.
  std::set<std::filesystem::path> cmake_files() const;
  /// The folders in which the targets of the project are built. Empty before the first
  /// configuration.
  std::set<std::filesystem::path> target_folders() const;
  bool uses_ninja() const;

 private:
  std::filesystem::path cache_file() const;

  std::filesystem::path folder_;
  std::filesystem::path build_folder_;
  std::string target_;
};

// cmake_presets.cpp

class CmakePresets {
 public:
  /// Reads CMakePresets.json, CMakeUserPresets.json and the files that they include. Errors in them
  /// are CMake's to report.
  explicit CmakePresets(const std::filesystem::path& folder);

  bool has(const std::string& name) const { return presets_.contains(name); }
  /// Whether the preset, or one that it inherits, names a compiler or a toolchain file.
  bool chooses_compiler(const std::string& name) const;

 private:
  void read(const std::filesystem::path& file);

  std::map<std::string, nlohmann::json> presets_;
  std::set<std::filesystem::path> files_;
};

}  // namespace fairway::dev
