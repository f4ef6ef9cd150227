// The CMake project in a folder: how it is configured and built, and which program it makes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fairway::dev {

class CmakeProject {
 public:
  /// `target` may be empty: the executable with the name of the project, or its only one. Throws
  /// UserError if there is no project in `folder`.
  CmakeProject(std::filesystem::path folder, std::filesystem::path build_folder,
               std::string target);

  const std::filesystem::path& folder() const { return folder_; }
  const std::filesystem::path& build_folder() const { return build_folder_; }

  bool is_configured() const;
  /// The command that configures the project: with the preset `dev`, if there is one. `extra` is
  /// for a build folder that is new. Has CMake write down its targets, for `program`.
  std::vector<std::string> configure_command(const std::vector<std::string>& extra) const;
  /// Of the target, or of everything as long as it is not known.
  std::vector<std::string> build_command() const;

  struct Program {
    std::string target;
    std::filesystem::path file;
  };
  /// As of the last configuration. Throws UserError if it cannot be told which target is meant.
  Program program() const;

 private:
  bool has_dev_preset() const;

  std::filesystem::path folder_;
  std::filesystem::path build_folder_;
  std::string target_;
};

}  // namespace fairway::dev
