#include <CLI/CLI.hpp>

#include "cli/command_line.hpp"
#include "cli/common_options.hpp"
#include "cli/document_options.hpp"
#include "files/data_file.hpp"
#include "files/whole_file.hpp"

namespace fairway::cli {

AddAppArguments read_add_app_arguments(const std::filesystem::path& output_directory) {
  AddAppArguments arguments;
  if (output_directory.empty()) return arguments;
  const std::filesystem::path file = output_directory / "add_app.json";
  const auto text = files::read_file(file);
  if (!text) return arguments;
  const model::Json stored = files::read_data(file.string(), *text);
  CLI::App app;
  Command build(app);
  ProjectOptions project;
  project.declare(build);
  arguments.document.declare(build);
  arguments.client_name.declare(build.group("Output"));
  parse_known_options(app, stored.value("arguments", std::vector<std::string>()));
  arguments.middlewares = project.middlewares;
  std::filesystem::path& config = arguments.document.app_config;
  if (config.empty()) return arguments;
  config = stored.value("directory", "") / config;
  // It may have been deleted since CMake ran.
  std::error_code ignored;
  if (!std::filesystem::exists(config, ignored)) config.clear();
  return arguments;
}

}  // namespace fairway::cli
