#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "dev/cmake_project.hpp"
#include "files/whole_file.hpp"

namespace fairway::dev {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The strings of a value that is a string or a list of them.
std::vector<std::string> strings_of(const json& object, const char* name) {
  std::vector<std::string> result;
  const auto member = object.find(name);
  if (member == object.end()) return result;
  for (const json& each : member->is_array() ? *member : json::array({*member})) {
    if (each.is_string()) result.push_back(each);
  }
  return result;
}

bool has_value(const json& object, std::string_view name) {
  const auto member = object.find(name);
  return member != object.end() && !member->is_null() && *member != "";
}

bool has_any(const json& preset, const char* group, const auto& names) {
  const auto variables = preset.find(group);
  if (variables == preset.end() || !variables->is_object()) return false;
  return std::ranges::any_of(
      names, [&variables](std::string_view name) { return has_value(*variables, name); });
}

constexpr std::array<std::string_view, 3> kCacheVariables = {
    "CMAKE_CXX_COMPILER", "CMAKE_C_COMPILER", "CMAKE_TOOLCHAIN_FILE"};
constexpr std::array<std::string_view, 3> kEnvironment = {"CXX", "CC", "CMAKE_TOOLCHAIN_FILE"};

}  // namespace

CmakePresets::CmakePresets(const fs::path& folder) {
  read(folder / "CMakePresets.json");
  read(folder / "CMakeUserPresets.json");
}

void CmakePresets::read(const fs::path& file) {
  if (!files_.insert(file.lexically_normal()).second) return;
  const json document = json::parse(files::read_file(file).value_or("null"), nullptr, false);
  if (!document.is_object()) return;
  for (const std::string& included : strings_of(document, "include")) {
    read(file.parent_path() / included);
  }
  const auto list = document.find("configurePresets");
  if (list == document.end() || !list->is_array()) return;
  for (const json& preset : *list) {
    if (!preset.is_object()) continue;
    for (const std::string& name : strings_of(preset, "name")) presets_.emplace(name, preset);
  }
}

bool CmakePresets::chooses_compiler(const std::string& name) const {
  std::vector<std::string> names = {name};
  std::set<std::string> seen;
  while (!names.empty()) {
    const auto found = presets_.find(names.back());
    names.pop_back();
    if (found == presets_.end() || !seen.insert(found->first).second) continue;
    const json& preset = found->second;
    if (has_value(preset, "toolchainFile") || has_any(preset, "cacheVariables", kCacheVariables) ||
        has_any(preset, "environment", kEnvironment)) {
      return true;
    }
    const std::vector<std::string> inherited = strings_of(preset, "inherits");
    names.insert(names.end(), inherited.begin(), inherited.end());
  }
  return false;
}

}  // namespace fairway::dev
