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
  /// The command that configures the project, with the preset `dev` if there is one. `extra` is
  /// used only for a new build folder. Makes CMake write a list of its targets, which `program`
  /// reads.
  std::vector<std::string> configure_command(const std::vector<std::string>& extra) const;
  /// The command that builds the target, or everything if the target is not known yet.
  std::vector<std::string> build_command() const;

  struct Program {
    std::string target;
    std::filesystem::path file;
  };
  /// The program according to the last configuration. Throws UserError if the target is ambiguous.
  Program program() const;

 private:
  bool has_dev_preset() const;

  std::filesystem::path folder_;
  std::filesystem::path build_folder_;
  std::string target_;
};

}  // namespace fairway::dev
