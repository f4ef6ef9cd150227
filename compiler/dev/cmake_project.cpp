#include "dev/cmake_project.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include "files/user_error.hpp"
#include "files/whole_file.hpp"

namespace fairway::dev {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view kClient = "client-fairway";

bool is_in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  std::error_code ignored;
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && fs::exists(fs::path(folder) / program, ignored)) return true;
  }
  return false;
}

fs::path api_folder(const fs::path& build_folder) { return build_folder / ".cmake" / "api" / "v1"; }

/// The newest index that CMake's file API has written; empty if there is none.
fs::path index_file(const fs::path& build_folder) {
  fs::path newest;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(api_folder(build_folder) / "reply", error)) {
    if (entry.path().filename().string().starts_with("index-")) {
      newest = std::max(newest, entry.path());
    }
  }
  return newest;
}

json read_json(const fs::path& file) {
  return json::parse(files::read_file(file).value_or("null"), nullptr, false);
}

}  // namespace

CmakeProject::CmakeProject(fs::path folder, fs::path build_folder, std::string target)
    : folder_(std::move(folder)),
      build_folder_(folder_ / build_folder),
      target_(std::move(target)) {
  if (!fs::exists(folder_ / "CMakeLists.txt")) {
    throw UserError(
        "there is no CMakeLists.txt here: run 'fairway dev' in the folder of a project, or create "
        "one with 'fairway new NAME'");
  }
}

bool CmakeProject::is_configured() const {
  return fs::exists(build_folder_ / "CMakeCache.txt") && !index_file(build_folder_).empty();
}

bool CmakeProject::has_dev_preset() const {
  const json presets = read_json(folder_ / "CMakePresets.json");
  if (!presets.is_object() || !presets.contains("configurePresets")) return false;
  return std::ranges::any_of(presets["configurePresets"], [](const json& preset) {
    return preset.is_object() && preset.value("name", "") == "dev";
  });
}

std::vector<std::string> CmakeProject::configure_command(
    const std::vector<std::string>& extra) const {
  files::replace_file(api_folder(build_folder_) / "query" / kClient / "codemodel-v2", "");
  if (fs::exists(build_folder_ / "CMakeCache.txt")) return {"cmake", build_folder_.string()};
  std::vector<std::string> command = {"cmake", "-S", folder_.string(), "-B",
                                      build_folder_.string()};
  if (has_dev_preset()) {
    command.insert(command.end(), {"--preset", "dev"});
  } else {
    // Line numbers without variables: further debug information takes a quarter of a build.
    command.insert(command.end(), {"-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-g1",
                                   "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"});
    if (is_in_path("ninja")) command.insert(command.end(), {"-G", "Ninja"});
  }
  command.insert(command.end(), extra.begin(), extra.end());
  return command;
}

std::vector<std::string> CmakeProject::build_command() const {
  return {"cmake",
          "--build",
          build_folder_.string(),
          "--target",
          program().target,
          "--parallel",
          std::to_string(std::max(1U, std::thread::hardware_concurrency()))};
}

CmakeProject::Program CmakeProject::program() const {
  const json index = read_json(index_file(build_folder_));
  const fs::path reply = api_folder(build_folder_) / "reply";
  const json model = read_json(
      reply / index.at("reply").at(kClient).at("codemodel-v2").at("jsonFile").get<std::string>());
  const json& configuration = model.at("configurations").at(0);
  const std::string project = configuration.at("projects").at(0).at("name");
  std::vector<Program> programs;
  for (const json& target : configuration.at("targets")) {
    if (target.at("projectIndex") != 0) continue;
    const json details = read_json(reply / target.at("jsonFile").get<std::string>());
    if (details.value("type", "") != "EXECUTABLE" || !details.contains("artifacts")) continue;
    programs.push_back(
        {target.at("name"), build_folder_ / details["artifacts"][0]["path"].get<std::string>()});
  }
  const std::string& wanted = target_.empty() ? project : target_;
  const auto found = std::ranges::find(programs, wanted, &Program::target);
  if (found != programs.end()) return *found;
  if (target_.empty() && programs.size() == 1) return programs.front();
  std::string names;
  for (const Program& program : programs) {
    names += (names.empty() ? "'" : ", '") + program.target + "'";
  }
  if (!target_.empty()) {
    throw UserError(fmt::format("--target: the project has no program '{}'; it has {}", target_,
                                names.empty() ? "none" : names));
  }
  throw UserError(names.empty() ? "the project has no program: add one with add_executable"
                                : fmt::format("the project has several programs ({}): name one "
                                              "with --target",
                                              names));
}

}  // namespace fairway::dev
