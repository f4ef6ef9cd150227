// The files that a build has read, by the records of the build tool and of CMake.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string_view>

#include "dev/cmake_project.hpp"
#include "process/processes.hpp"

namespace fairway::dev {

class BuildInputs {
 public:
  using Files = std::set<std::filesystem::path>;  ///< absolute

  /// Both must outlive the object.
  BuildInputs(process::Processes& processes, const CmakeProject& project)
      : process_(processes), project_(project) {}

  /// Calls `done` with the files that the last build has read, without those in the build folder.
  /// Files that are missing now are among them.
  /// Ends an earlier call that has not been completed.
  void read(std::function<void(const Files&)> done);

 private:
  process::CapturedProcess process_;
  const CmakeProject& project_;
};

// For tests.

/// The dependencies in Ninja's log of them, .ninja_deps. Empty if its version is not known.
BuildInputs::Files dependencies_in_log(std::string_view log);
/// The dependencies in a file in Makefile format.
BuildInputs::Files dependencies_in_depfile(std::string_view text);

}  // namespace fairway::dev
