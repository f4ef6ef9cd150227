#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "command/command_line.hpp"
#include "files/data_file.hpp"
#include "files/user_error.hpp"
#include "files/whole_file.hpp"
#include "project/document_options.hpp"
#include "project/project_options.hpp"

namespace fairway::project {

namespace {

struct Stored {
  std::filesystem::path directory;
  std::filesystem::path source_dir;
  std::vector<std::string> arguments;
};

Stored stored_in(const std::filesystem::path& file, const std::string& text) {
  const model::Json stored = files::read_data(file.string(), text);
  try {
    return {stored.at("directory").get<std::string>(), stored.value("source_dir", ""),
            stored.at("arguments").get<std::vector<std::string>>()};
  } catch (const model::Json::exception&) {
    throw UserError(fmt::format(
        "{}: not written by this version of fairway_add_app: run CMake again", file.string()));
  }
}

}  // namespace

AddAppArguments read_add_app_arguments(const std::filesystem::path& output_directory) {
  AddAppArguments arguments;
  if (output_directory.empty()) return arguments;
  const std::filesystem::path file = output_directory / "add_app.json";
  const auto text = files::read_file(file);
  if (!text) return arguments;
  const Stored stored = stored_in(file, *text);
  CLI::App app;
  app.set_help_flag("");
  command::Command build(app);
  ProjectOptions project;
  project.declare(build);
  arguments.document.declare(build);
  arguments.client_name.declare(build.group("Output"));
  try {
    command::parse_known_options(app, stored.arguments);
  } catch (const command::UsageError& error) {
    throw UserError(fmt::format("the OPTIONS of fairway_add_app, stored in '{}': {}", file.string(),
                                error.what()));
  }
  arguments.source_dir = stored.source_dir;
  arguments.middlewares = project.middlewares;
  std::filesystem::path& config = arguments.document.app_config;
  if (config.empty()) return arguments;
  config = stored.directory / config;
  // It may have been deleted since CMake ran.
  std::error_code ignored;
  if (!std::filesystem::exists(config, ignored)) config.clear();
  return arguments;
}

}  // namespace fairway::project
