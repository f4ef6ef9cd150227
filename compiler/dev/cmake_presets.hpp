// What `fairway dev` must know of the configure presets of a project.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace fairway::dev {

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
