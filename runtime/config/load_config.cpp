// The layers of a configuration, in order: defaults, JSON files, environment, flags.
#include <fairway/config.hpp>
#include <fairway/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "base/ascii.hpp"
#include "base/parse_number.hpp"
#include "config/print_config.hpp"
#include "errors/messages.hpp"
#include "settings/settings_file.hpp"

namespace fw {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUsage =
    "  --port NUMBER     port to listen on; 0 takes any free one (environment: PORT)\n"
    "  --host ADDRESS    address to listen on (environment: HOST)\n"
    "  --config PROFILE  reads config/PROFILE.json (environment: FAIRWAY_CONFIG)\n"
    "  --print-config    prints the configuration and where each value comes from, and exits\n"
    "  --help            prints this and exits\n";

std::optional<std::string> environment_value(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

/// The number in a string. Other strings are returned unchanged, so that the error message shows
/// them.
std::optional<Json> as_number(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto number = base::parse_number<std::int64_t>(*text);
  return number ? Json(*number) : Json(*text);
}

/// Of spans for `fairway dev`, in milliseconds.
constexpr int kDevExportInterval = 100;

constexpr std::string_view kAppPrefix = "FAIRWAY_APP_";

/// The environment variables for keys of the application, in order.
std::vector<std::string> app_variables() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    if (!variable.starts_with(kAppPrefix)) continue;
    names.emplace_back(variable.substr(0, variable.find('=')));
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// The key of a variable: "/app/payment/apiKey" for FAIRWAY_APP_PAYMENT__API_KEY. Empty if the name
/// is invalid.
std::string app_pointer(std::string_view variable) {
  std::string pointer = "/app/";
  bool is_upper = false;
  variable.remove_prefix(kAppPrefix.size());
  for (std::size_t i = 0; i < variable.size(); ++i) {
    if (variable[i] != '_') {
      pointer += is_upper ? base::to_upper(variable[i]) : base::to_lower(variable[i]);
      is_upper = false;
    } else if (i + 1 < variable.size() && variable[i + 1] == '_') {
      if (pointer.back() == '/') return "";
      pointer += '/';
      ++i;
    } else {
      is_upper = pointer.back() != '/';
    }
  }
  return pointer.back() == '/' ? "" : pointer;
}

/// The value of a variable: a string, or JSON if an earlier layer has another type.
Json app_value(const Json& earlier, const std::string& text) {
  if (earlier.is_null() || earlier.is_string()) return text;
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

struct Flags {
  std::optional<std::string> port;
  std::optional<std::string> host;
  std::optional<std::string> profile;
};

Flags parse_flags(const std::vector<std::string>& arguments, std::vector<std::string>& errors) {
  Flags flags;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const auto equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    std::optional<std::string>* target = name == "--port"     ? &flags.port
                                         : name == "--host"   ? &flags.host
                                         : name == "--config" ? &flags.profile
                                                              : nullptr;
    if (target == nullptr) {
      errors.push_back(fmt::format("unknown argument '{}'; --help lists the flags", argument));
    } else if (equals != std::string::npos) {
      *target = argument.substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      *target = arguments[++i];
    } else {
      errors.push_back(fmt::format("{} needs a value", name));
    }
  }
  return flags;
}

struct LoadedConfig {
  Config config;
  config::ConfigOrigins origins;
};

/// Collects the errors of each layer instead of stopping at the first.
class Layers {
 public:
  explicit Layers(LoadedConfig& loaded, std::vector<std::string>& errors)
      : loaded_(loaded), errors_(errors) {}

  void file(const fs::path& path, bool required) {
    std::error_code ignored;
    if (fs::symlink_status(path, ignored).type() == fs::file_type::not_found) {
      if (required) {
        errors_.push_back(fmt::format("{}: no such configuration file", path.string()));
      }
      return;
    }
    const auto [text, error] = settings::read_text(path);
    if (error) return errors_.push_back(error->in(path.string()));
    std::vector<settings::FileError> found;
    if (const auto values = settings::parse_file(text, found)) {
      for (const settings::LayerError& wrong : settings::apply_layer(loaded_.config, *values)) {
        found.push_back(wrong.in_text(text));
      }
      if (found.empty()) config::note_origins(loaded_.origins, *values, path.string());
    }
    for (const settings::FileError& each : found) errors_.push_back(each.in(path.string()));
  }

  void layer(const Json& values, const std::string& source) {
    try {
      apply_config_layer(loaded_.config, values, source);
      config::note_origins(loaded_.origins, values, source);
    } catch (const StartupError& error) {
      errors_.insert(errors_.end(), error.errors().begin(), error.errors().end());
    }
  }

  /// Applies a value from the environment or a flag. An absent value changes nothing.
  void value(const char* pointer, const std::optional<Json>& value, const std::string& source) {
    if (!value) return;
    Json single;
    single[Json::json_pointer(pointer)] = *value;
    layer(single, source);
  }

 private:
  LoadedConfig& loaded_;
  std::vector<std::string>& errors_;
};

LoadedConfig load(const std::string& directory, const std::vector<std::string>& arguments) {
  LoadedConfig loaded;
  Config& config = loaded.config;
  std::vector<std::string> errors;
  const Flags flags = parse_flags(arguments, errors);

  if (const auto environment = environment_value("FAIRWAY_ENV")) {
    config.environment = *environment;
    loaded.origins["environment"] = "environment FAIRWAY_ENV";
    const auto& known = settings::kEnvironments;
    if (std::find(known.begin(), known.end(), *environment) == known.end()) {
      errors.push_back(
          fmt::format("environment FAIRWAY_ENV: expected production, development or test, not '{}'",
                      *environment));
    }
  }
  config.logger.pretty = config.environment != "production";

  Layers layers(loaded, errors);
  const auto named_profile = flags.profile ? flags.profile : environment_value("FAIRWAY_CONFIG");
  const std::string profile = named_profile.value_or(config.environment);
  const auto file_of = [folder = fs::path(directory)](std::string_view layer) {
    return folder / fmt::format("{}.json", layer);
  };
  layers.file(file_of(settings::kDefaultLayer), false);
  layers.file(file_of(profile), named_profile.has_value());
  layers.file(file_of(settings::kLocalLayer), false);

  layers.value("/port", as_number(environment_value("PORT")), "environment PORT");
  layers.value("/host", environment_value("HOST"), "environment HOST");
  // `fairway dev --https` speaks TLS, and tells the program so.
  if (environment_value("FAIRWAY_DEV") == "https") {
    layers.value("/trustProxy", Json::array({"127.0.0.1"}), "fairway dev --https");
  }
  // `fairway dev` shows the spans of each request. Only a program in development sends them, and a
  // collector of the project keeps them.
  const bool sends_spans = FAIRWAY_FETCH && environment_value("FAIRWAY_DEV") &&
                           config.environment == "development" && config.request_context.enabled &&
                           !config.tracing.is_enabled();
  if (const auto endpoint = environment_value("FAIRWAY_DEV_SPANS"); endpoint && sends_spans) {
    layers.value("/tracing/endpoint", *endpoint, "fairway dev");
    layers.value("/tracing/exportInterval", kDevExportInterval, "fairway dev");
    layers.value("/tracing/logs", true, "fairway dev");
  }
  layers.value("/logger/level", environment_value("FAIRWAY_LOG_LEVEL"),
               "environment FAIRWAY_LOG_LEVEL");
  for (const std::string& variable : app_variables()) {
    const auto text = environment_value(variable.c_str());
    if (!text) continue;
    const std::string pointer = app_pointer(variable);
    if (pointer.empty()) {
      errors.push_back(fmt::format(
          "environment {}: expected a name such as {}PAYMENT__API_KEY (app.payment.apiKey)",
          variable, kAppPrefix));
      continue;
    }
    const Json::json_pointer key(pointer.substr(std::string_view("/app").size()));
    const Json earlier = config.app.contains(key) ? config.app[key] : Json();
    layers.value(pointer.c_str(), app_value(earlier, *text), "environment " + variable);
  }
  layers.value("/port", as_number(flags.port), "flag --port");
  layers.value("/host", flags.host, "flag --host");

  if (!errors.empty()) throw StartupError(std::move(errors));
  return loaded;
}

}  // namespace

Config load_config_from(const std::string& directory, const std::vector<std::string>& arguments) {
  return load(directory, arguments).config;
}

void apply_config_layer(Config& config, const Json& layer, const std::string& source) {
  std::vector<std::string> errors;
  for (const settings::LayerError& error : settings::apply_layer(config, layer)) {
    errors.push_back(source + ": " + error.text());
  }
  if (!errors.empty()) throw StartupError(std::move(errors));
}

Config load_config(int argc, char** argv) {
  const std::string program = argc > 0 ? fs::path(argv[0]).filename().string() : "server";
  std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  for (const std::string& argument : arguments) {
    if (argument == "--help" || argument == "-h") {
      fmt::print("usage: {} [options]\n{}", program, kUsage);
      std::exit(0);
    }
  }
  const bool prints = std::erase(arguments, "--print-config") > 0;
  try {
    LoadedConfig loaded = load("config", arguments);
    if (prints) {
      fmt::print("{}", config::render_config(loaded.config, loaded.origins));
      std::exit(0);
    }
    return std::move(loaded.config);
  } catch (const StartupError& error) {
    detail::report_startup_errors(error.errors());
    std::exit(1);
  }
}

}  // namespace fw
