#include "dev/cmake_project.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

#include "files/user_error.hpp"
#include "files/whole_file.hpp"
#include "process/processes.hpp"

namespace fairway::dev {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view kClient = "client-fairway";
constexpr std::string_view kModel = "codemodel-v2";
constexpr std::string_view kToolchains = "toolchains-v1";
constexpr std::string_view kFiles = "cmakeFiles-v1";
constexpr const char* kPreset = "dev";
/// In the cache of CMake if `fairway dev` has chosen the compiler.
constexpr std::string_view kOwnChoice = "FAIRWAY_DEV_COMPILER";

fs::path api_folder(const fs::path& build_folder) { return build_folder / ".cmake" / "api" / "v1"; }

fs::path reply_folder(const fs::path& build_folder) { return api_folder(build_folder) / "reply"; }

/// The newest index that CMake's file API has written; empty if there is none.
fs::path index_file(const fs::path& build_folder) {
  fs::path newest;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(reply_folder(build_folder), error)) {
    if (entry.path().filename().string().starts_with("index-")) {
      newest = std::max(newest, entry.path());
    }
  }
  return newest;
}

json read_json(const fs::path& file) {
  return json::parse(files::read_file(file).value_or("null"), nullptr, false);
}

fs::path without_trailing_slash(const fs::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

json read_reply(const fs::path& build_folder, std::string_view query) {
  const json index = read_json(index_file(build_folder));
  const std::string file = index.at("reply").at(kClient).at(query).at("jsonFile");
  return read_json(reply_folder(build_folder) / file);
}

}  // namespace

CmakeProject::CmakeProject(fs::path folder, fs::path build_folder, std::string target)
    : folder_(std::move(folder)),
      build_folder_(without_trailing_slash((folder_ / build_folder).lexically_normal())),
      target_(std::move(target)) {
  if (!fs::exists(folder_ / "CMakeLists.txt")) {
    throw UserError(
        "there is no CMakeLists.txt here: change to the folder of a project, or create one with "
        "'fairway new NAME'");
  }
}

bool CmakeProject::is_new() const {
  const auto cache = files::read_file(cache_file());
  if (!cache) return true;
  return cache->find(fmt::format("\n{}:", kOwnChoice)) != cache->npos && is_compiler_chosen();
}

bool CmakeProject::is_configured() const { return !is_new() && !index_file(build_folder_).empty(); }

bool CmakeProject::is_compiler_chosen() const {
  return has_compiler_in_environment() || CmakePresets(folder_).chooses_compiler(kPreset);
}

fs::path CmakeProject::cache_file() const { return build_folder_ / "CMakeCache.txt"; }

fs::path CmakeProject::scratch_folder() const { return build_folder_ / ".cmake" / "fairway-dev"; }

std::vector<std::string> CmakeProject::configure_command(
    const std::vector<std::string>& extra, const std::optional<CompilerCandidate>& compiler) const {
  for (const std::string_view query : {kModel, kToolchains, kFiles}) {
    files::replace_file(api_folder(build_folder_) / "query" / kClient / query, "");
  }
  if (!is_new()) return {"cmake", build_folder_.string()};
  // Without what an attempt with another compiler has left.
  std::vector<std::string> command = {"cmake",          "--fresh", "-S",
                                      folder_.string(), "-B",      build_folder_.string()};
  if (CmakePresets(folder_).has(kPreset)) {
    command.insert(command.end(), {"--preset", kPreset});
  } else {
    // Line numbers without variables: further debug information takes a quarter of a build.
    command.insert(command.end(), {"-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-g1",
                                   "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"});
    if (process::is_in_path("ninja")) command.insert(command.end(), {"-G", "Ninja"});
  }
  if (compiler) {
    command.insert(command.end(), {"-DCMAKE_CXX_COMPILER=" + compiler->name,
                                   fmt::format("-D{}:INTERNAL={}", kOwnChoice, compiler->name),
                                   "--no-warn-unused-cli"});
    // The options of both languages should agree, options of link-time optimization for example.
    const std::string c_compiler = compiler->c_compiler();
    if (process::is_in_path(c_compiler)) command.push_back("-DCMAKE_C_COMPILER=" + c_compiler);
  }
  command.insert(command.end(), extra.begin(), extra.end());
  return command;
}

void CmakeProject::forget_configuration() const { fs::remove(cache_file()); }

std::string CmakeProject::cxx_compiler() const {
  const json toolchains = read_reply(build_folder_, kToolchains);
  for (const json& toolchain : toolchains.at("toolchains")) {
    if (toolchain.at("language") != "CXX") continue;
    return fs::path(toolchain.at("compiler").value("path", "")).filename().string();
  }
  return {};
}

std::vector<std::string> CmakeProject::build_command(const std::string& target) const {
  std::vector<std::string> command = {
      "cmake", "--build", build_folder_.string(), "--parallel",
      std::to_string(std::max(1U, std::thread::hardware_concurrency()))};
  if (!target.empty()) command.insert(command.end(), {"--target", target});
  return command;
}

CmakeProject::Program CmakeProject::program() const {
  const fs::path reply = reply_folder(build_folder_);
  const json model = read_reply(build_folder_, kModel);
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

std::set<fs::path> CmakeProject::cmake_files() const {
  std::set<fs::path> files;
  const json index = read_json(index_file(build_folder_));
  // A build folder may have been configured by a version that did not ask for them.
  if (!index.contains(json::json_pointer(fmt::format("/reply/{}/{}", kClient, kFiles))))
    return files;
  const json reply = read_reply(build_folder_, kFiles);
  for (const json& input : reply.at("inputs")) {
    if (!input.value("isCMake", false)) files.insert(folder_ / input.value("path", ""));
  }
  return files;
}

std::set<fs::path> CmakeProject::target_folders() const {
  std::set<fs::path> folders;
  if (!is_configured()) return folders;
  const json model = read_reply(build_folder_, kModel);
  for (const json& directory : model.at("configurations").at(0).at("directories")) {
    const bool is_of_project = directory.at("projectIndex") == 0;
    if (is_of_project) folders.insert((build_folder_ / directory.at("build")).lexically_normal());
  }
  return folders;
}

bool CmakeProject::uses_ninja() const {
  const auto cache = files::read_file(cache_file());
  return cache && cache->find("\nCMAKE_GENERATOR:INTERNAL=Ninja") != cache->npos;
}

}  // namespace fairway::dev
