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
  const auto string_of = [&](const char* name) -> std::optional<std::string> {
    const auto found = stored.find(name);
    if (found == stored.end() || !found->is_string()) return std::nullopt;
    return found->get<std::string>();
  };
  arguments.title = string_of("title");
  arguments.api_version = string_of("apiVersion");
  arguments.default_api_version = string_of("defaultApiVersion");
  arguments.client_name = string_of("clientName").value_or("");
  // It may have been deleted since CMake ran.
  const std::filesystem::path config = string_of("appConfig").value_or("");
  std::error_code ignored;
  if (!config.empty() && std::filesystem::exists(config, ignored)) arguments.app_config = config;
  return arguments;
}

}  // namespace fairway::cli
