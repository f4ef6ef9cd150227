#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/json_text.hpp"
#include "command/option_group.hpp"
#include "files/data_file.hpp"
#include "files/whole_file.hpp"
#include "project/settings.hpp"
#include "settings/settings_file.hpp"

namespace fairway::project {
namespace {

namespace fs = std::filesystem;
using model::Json;

/// A layer of the configuration.
struct Layer {
  fs::path file;
  std::string text;
  Json values;

  [[noreturn]] void fail(const fw::settings::FileError& error) const {
    throw command::UsageError(error.in(file.string()));
  }
  /// In YAML, errors have no position.
  [[noreturn]] void fail(const fw::settings::LayerError& error) const {
    fail(is_json() ? error.in_text(text) : fw::settings::FileError{std::nullopt, error.text()});
  }
  bool is_json() const { return file.extension() == ".json"; }
};

Layer read_layer(const fs::path& file) {
  auto text = files::read_file(file);
  if (!text) {
    throw command::UsageError(fmt::format("--app-config: cannot read '{}'", file.string()));
  }
  Json values = files::read_data(file.string(), *text);
  return {file, std::move(*text), std::move(values)};
}

/// Throws the first error.
fw::Config read_config(const Layer& layer) {
  fw::Config config;
  std::vector<fw::settings::FileError> duplicates;  // YAML has been refused because of them
  if (layer.is_json()) fw::settings::parse_file(layer.text, duplicates);
  if (!duplicates.empty()) layer.fail(duplicates.front());
  const auto errors = fw::settings::apply_layer(config, layer.values);
  if (!errors.empty()) layer.fail(errors.front());
  return config;
}

bool has_https(const fw::Config& config) {
  using Mode = fw::TrustProxy::Mode;
  const Mode proxies = config.trust_proxy.mode();
  return config.server.tls.is_enabled() ||
         (proxies == Mode::networks ? !config.trust_proxy.networks().empty()
                                    : proxies != Mode::none);
}

/// Whether one of the layers says so. Their errors are reported when the application starts.
bool any_layer(const std::vector<fs::path>& files, bool (*says)(const fw::Config& config)) {
  return std::ranges::any_of(files, [&](const fs::path& file) {
    try {
      fw::Config config;
      fw::settings::apply_layer(config, read_layer(file).values);
      return says(config);
    } catch (const UserError&) {
      return false;
    }
  });
}

std::vector<model::HttpsSetting> https_settings(const fw::Config& config) {
  std::vector<model::HttpsSetting> settings;
  const auto note_cookie = [&](const fw::CookieConfig& cookie, const char* pointer) {
    if (cookie.secure != fw::CookieSecure::always) return;
    settings.push_back({pointer, "in cleartext, browsers do not return the cookie"});
  };
  if (config.session.enabled) note_cookie(config.session.cookie, "/session/cookie/secure");
  if (config.csrf.enabled) note_cookie(config.csrf.cookie, "/csrf/cookie/secure");
  if (config.security_headers.enabled && config.security_headers.hsts.enabled() == true) {
    settings.push_back({"/securityHeaders/hsts", "in cleartext, the field is never sent"});
  }
  return settings;
}

/// Fills in what `config` lacks: the order of members, which documents keep, and members that the
/// runtime does not read.
void read_openapi(const Layer& layer, const fw::OpenApiConfig& config,
                  model::OpenApiOptions& options) {
  const auto section = [&](const char* name) {
    const Json::json_pointer pointer(std::string("/openapi/") + name);
    return layer.values.contains(pointer) ? layer.values.at(pointer) : Json::object();
  };
  options.info = section("info");
  if (options.info.contains("license") && !options.info["license"].contains("name")) {
    layer.fail({"/openapi/info/license", "expected an object with a 'name'"});
  }
  const auto take = [&](const char* name, std::string& text) {
    if (!options.info.contains(name)) return;
    text = options.info[name];
    options.info.erase(name);
  };
  take("title", options.title);
  take("version", options.version);
  take("description", options.description);
  for (const fw::OpenApiServerConfig& server : config.servers) {
    options.servers.push_back({.url = server.url, .description = server.description});
  }
  options.guard_security.insert(config.guard_security_map.begin(), config.guard_security_map.end());
  options.auth_schemes = config.auth_scheme.names();
  options.security_schemes = section("securitySchemes");
  for (const auto& [name, scheme] : options.security_schemes.items()) {
    if (scheme.is_object() && scheme.contains("type")) continue;
    layer.fail({"/openapi/securitySchemes" + fw::base::pointer_step(name),
                "expected a security scheme, an object with a 'type'"});
  }
}

}  // namespace

fs::path working_directory_of(const fs::path& app_config) {
  const fs::path folder = fs::absolute(app_config).parent_path();
  return folder.filename() == "config" ? folder.parent_path() : folder;
}

std::vector<fs::path> config_layers(const fs::path& app_config, const fs::path& source_dir) {
  const fs::path file = app_config.empty() ? source_dir / "../config/default.json" : app_config;
  const fs::path folder = fs::absolute(file).lexically_normal().parent_path();
  if (folder.filename() != "config") return {fs::absolute(file)};
  std::vector<fs::path> layers;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".json" || extension == ".yaml" || extension == ".yml") {
      layers.push_back(entry.path());
    }
  }
  std::ranges::sort(layers);
  return layers;
}

bool enable_openapi(const std::vector<fs::path>& layers) {
  return any_layer(layers, [](const fw::Config& config) { return config.openapi.enabled; });
}

std::vector<fs::path> apply_app_config(const fs::path& file, model::OpenApiOptions& options) {
  const Layer layer = read_layer(file);
  model::AppSettings& settings = options.settings;
  settings.is_known = true;
  settings.file = file.string();
  settings.config = read_config(layer);
  const fw::Config& config = settings.config;
  options.envelope = config.response.wrap;
  read_openapi(layer, config.openapi, options);
  settings.https_settings = https_settings(config);
  settings.has_https = any_layer(config_layers(file, {}), has_https);
  fw::LocaleConfig locale = config.locale;
  locale.directory = (working_directory_of(file) / locale.directory).string();
  std::vector<fs::path> files = read_locale_files(locale, settings);
  files.push_back(file);
  return files;
}

}  // namespace fairway::project
