#include "cli/document_options.hpp"

#include <fmt/format.h>

#include "cli/app_config.hpp"
#include "emit/yaml.hpp"

namespace fairway::cli {

emit::OpenApiOptions document_options(const Arguments& arguments) {
  emit::OpenApiOptions options;
  options.title = arguments.get("--default-title", options.title);
  options.version = arguments.get("--default-api-version", options.version);
  if (arguments.has("--app-config")) apply_app_config(arguments.get("--app-config"), options);
  if (arguments.get("--openapi") == "3.0") options.openapi = emit::OpenApiVersion::v3_0;
  options.title = arguments.get("--title", options.title);
  options.version = arguments.get("--api-version", options.version);
  options.description = arguments.get("--description", options.description);
  options.license = arguments.get("--license", options.license);
  if (arguments.has("--server")) options.servers.clear();
  for (const std::string& url : arguments.all("--server")) options.servers.push_back({.url = url});
  for (const std::string& pair : arguments.all("--guard-security")) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == pair.size()) {
      throw UsageError(
          fmt::format("'{}' is not a value of --guard-security: write MIDDLEWARE=SCHEME", pair));
    }
    options.guard_security[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  if (arguments.has("--no-envelope")) options.envelope = false;
  return options;
}

std::string document_text(const model::Json& document, const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  return ending == ".yaml" || ending == ".yml" ? emit::to_yaml(document)
                                               : emit::openapi_text(document);
}

}  // namespace fairway::cli
