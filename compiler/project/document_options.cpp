#include "project/document_options.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/ascii.hpp"
#include "project/settings.hpp"

namespace fairway::project {
namespace {

constexpr std::array<command::Choice<model::OpenApiVersion>, 3> kVersions = {
    {{"3.1", model::OpenApiVersion::v3_1},
     {"3.0", model::OpenApiVersion::v3_0},
     {"3.2", model::OpenApiVersion::v3_2}}};

void add_guards(const std::vector<std::string>& pairs, model::OpenApiOptions& options) {
  for (const std::string& pair : pairs) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == pair.size()) {
      throw command::UsageError(
          fmt::format("--guard-security must have the form NAME=SCHEME, not '{}'", pair));
    }
    options.guard_security[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
}

}  // namespace

void DocumentOptions::declare(command::Command& command) {
  declare_for_client(command);
  const command::OptionGroup document = command.group("Document");
  document.choice("--openapi", "VERSION", openapi, kVersions,
                  "3.1 (default), 3.0 or 3.2; with 3.0, the document says 3.0.3, and with 3.2 it "
                  "describes the items of streams without an extension");
  document.text("--license", "NAME", license, "name of the API's license");
  document.list("--server", "URL", servers,
                "URL at which the API is served; may be repeated; default: /");
}

void DocumentOptions::declare_for_client(command::Command& command) {
  const command::OptionGroup document = command.group("Document");
  document.path("--app-config", "FILE", app_config,
                "configuration of the application as JSON or YAML, for example "
                "config/default.json; options take precedence");
  document.text("--title", "STRING", title, "title of the API");
  document.text("--default-title", "STRING", default_title,
                "title if neither --title nor the configuration has one; default: the target of "
                "fairway_add_app if it is known, otherwise 'API'");
  document.text("--api-version", "STRING", api_version, "version of the API");
  document.text("--default-api-version", "STRING", default_api_version,
                "version if neither --api-version nor the configuration has one; default: 0.0.0");
  document.text("--description", "STRING", description, "description of the API, in Markdown");
  document.list(
      "--guard-security", "NAME=SCHEME", guard_security,
      "declare that every route with the middleware NAME requires the security scheme SCHEME; may "
      "be repeated");
  document.flag("--no-envelope", no_envelope,
                "describe responses without the envelope, for programs that set response.wrap to "
                "false");
}

void DocumentOptions::complete(const DocumentOptions& add_app) {
  const auto set = [](auto& option, const auto& value) {
    if (!option) option = value;
  };
  set(openapi, add_app.openapi);
  set(title, add_app.title);
  set(default_title, add_app.default_title);
  set(api_version, add_app.api_version);
  set(default_api_version, add_app.default_api_version);
  set(description, add_app.description);
  set(license, add_app.license);
  set(no_envelope, add_app.no_envelope);
  if (app_config.empty()) app_config = add_app.app_config;
  if (servers.empty()) servers = add_app.servers;
  // Of several schemes for a middleware, the last one is used.
  guard_security.insert(guard_security.begin(), add_app.guard_security.begin(),
                        add_app.guard_security.end());
}

model::OpenApiOptions DocumentOptions::resolved(std::vector<std::filesystem::path>* read) const {
  model::OpenApiOptions options;
  options.title = default_title.value_or("");
  if (default_api_version) options.version = *default_api_version;
  if (!app_config.empty()) {
    auto files = apply_app_config(app_config, options);
    if (read != nullptr) *read = std::move(files);
  }
  if (openapi) options.openapi = *openapi;
  if (title) options.title = *title;
  if (api_version) options.version = *api_version;
  if (description) options.description = *description;
  if (license) options.license = *license;
  if (!servers.empty()) options.servers.clear();
  for (const std::string& url : servers) options.servers.push_back({.url = url});
  add_guards(guard_security, options);
  if (no_envelope) options.envelope = false;
  return options;
}

void set_default_title(model::OpenApiOptions& options, const std::string& application) {
  if (!options.title.empty()) return;
  options.title = application.empty() ? model::OpenApiOptions().title : application;
}

void ClientNameOption::declare(const command::OptionGroup& group) {
  group.identifier("--client-name", "NAME", name,
                   "name that the client is made with: 'orders' makes the class OrdersClient; "
                   "default: derived from the title");
}

std::string ClientNameOption::resolved(const std::string& title) const {
  if (!name.empty()) return name;
  std::string made;
  for (const char c : title) {
    if (fw::base::is_alphanumeric(c)) {
      made += fw::base::to_lower(c);
    } else if (!made.empty() && made.back() != '_') {
      made += '_';
    }
  }
  while (made.ends_with('_')) made.pop_back();
  return made.empty() || fw::base::is_digit(made.front()) ? "api_" + made : made;
}

}  // namespace fairway::project
