#include "config/print_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

#include "base/json_text.hpp"
#include "http/tls/tls_server.hpp"
#include "settings/config_table.hpp"

namespace fw::config {
namespace {

constexpr std::string_view kHidden = "[Redacted]";
constexpr std::string_view kFreeForm = "/app";
/// All members may be secrets, whatever their names are.
constexpr std::string_view kCollectorHeaders = "/tracing/headers";
constexpr std::array<std::string_view, 13> kSecretNames = {
    "password",        "passwd",     "pwd",        "passphrase",    "secret", "token",
    "apikey",          "privatekey", "credential", "authorization", "cookie", "dsn",
    "connectionstring"};
/// The ends of more names, in the settings of the application.
constexpr std::array<std::string_view, 2> kSecretEnds = {"key", "pass"};

bool names_a_secret(std::string_view name, bool is_of_application) {
  std::string letters;
  for (const char c : name) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  const auto is_in_name = [&](std::string_view secret) {
    return letters.find(secret) != std::string::npos;
  };
  const auto ends_name = [&](std::string_view end) { return letters.ends_with(end); };
  return std::any_of(kSecretNames.begin(), kSecretNames.end(), is_in_name) ||
         (is_of_application && std::any_of(kSecretEnds.begin(), kSecretEnds.end(), ends_name));
}

/// Removes the credentials from URLs: "redis://user:word@host".
std::string without_users(std::string_view text) {
  constexpr std::string_view kScheme = "://";
  std::string shown;
  while (true) {
    const auto scheme = text.find(kScheme);
    if (scheme == std::string_view::npos) return shown.append(text);
    shown.append(text.substr(0, scheme + kScheme.size()));
    text.remove_prefix(scheme + kScheme.size());
    const std::string_view url = text.substr(0, text.find(kScheme));
    auto at = url.substr(0, url.find_first_of("/?#")).rfind('@');
    // A password may have these characters, although a URL must not.
    if (at == std::string_view::npos) at = url.rfind('@');
    if (at == std::string_view::npos) continue;
    shown.append(kHidden);
    text.remove_prefix(at);
  }
}

void hide_secrets(Json& value, bool is_of_application) {
  if (value.is_string()) value = without_users(value.get_ref<const std::string&>());
  if (!value.is_structured()) return;
  for (auto& [name, member] : value.items()) {
    if (value.is_object() && names_a_secret(name, is_of_application)) {
      member = kHidden;
    } else {
      hide_secrets(member, is_of_application);
    }
  }
}

/// Its value, without secrets.
Json shown_value(const settings::ConfigKey& key, const Config& config) {
  Json value = key.write(config);
  // Flags and numbers of the framework are not secrets, even if their names suggest it.
  if (value.is_boolean() || value.is_number()) return value;
  if (key.pointer == kCollectorHeaders) {
    for (auto& [name, member] : value.items()) member = kHidden;
  }
  Json parent = {{std::string(key.pointer.substr(key.pointer.rfind('/') + 1)), std::move(value)}};
  hide_secrets(
      parent,
      key.pointer == kFreeForm);  // as a member of an object, so that its name is checked, too
  return std::move(parent.begin().value());
}

/// The value at the pointer of a key, whose names need no unescaping; null if the layer has none.
/// Each start looks up all keys, which with `Json::json_pointer` would take a third of the time of
/// our own code.
const Json* find_value(const Json& layer, std::string_view pointer) {
  const Json* value = &layer;
  while (!pointer.empty() && value->is_object()) {
    const std::string_view rest = pointer.substr(1);
    const std::string_view name = rest.substr(0, rest.find('/'));
    const auto member = value->find(name);
    if (member == value->end()) return nullptr;
    value = &*member;
    pointer = rest.substr(name.size());
  }
  return pointer.empty() ? value : nullptr;
}

struct Line {
  std::string pointer;
  std::string value;
  std::string origin;
};

std::string origin_of(const ConfigOrigins& origins, const std::string& pointer) {
  if (const auto found = origins.find(pointer); found != origins.end()) return found->second;
  // A hidden object hides its members.
  const auto member = origins.lower_bound(pointer + "/");
  const bool is_inside = member != origins.end() && member->first.starts_with(pointer + "/");
  return is_inside ? member->second : "default";
}

}  // namespace

void note_origins(ConfigOrigins& origins, const Json& layer, const std::string& source) {
  for (const settings::ConfigKey& key : settings::config_keys()) {
    const Json* const value = find_value(layer, key.pointer);
    if (value == nullptr) continue;
    const std::string pointer(key.pointer);
    if (pointer != kFreeForm) {
      origins[pointer] = source;
      continue;
    }
    // Layers are merged member by member here, so each leaf has its own origin.
    const Json leaves = value->flatten();
    for (const auto& [leaf, ignored] : leaves.items()) {
      origins[pointer + leaf] = source;
    }
  }
}

Json shown_config(const Config& config) {
  Json shown = {{"environment", config.environment}};
  for (const settings::ConfigKey& key : settings::config_keys()) {
    shown[Json::json_pointer(std::string(key.pointer))] = shown_value(key, config);
  }
  return shown;
}

std::string render_config(const Config& config, const ConfigOrigins& origins) {
  std::vector<Line> lines = {
      {"environment", config.environment, origin_of(origins, "environment")}};
  for (const settings::ConfigKey& key : settings::config_keys()) {
    const std::string pointer(key.pointer);
    const Json value = shown_value(key, config);
    if (pointer != kFreeForm) {
      lines.push_back({pointer, base::to_json_text(value), origin_of(origins, pointer)});
      continue;
    }
    const Json leaves = value.flatten();
    for (const auto& [leaf, member] : leaves.items()) {
      if (leaf.empty()) continue;
      lines.push_back(
          {pointer + leaf, base::to_json_text(member), origin_of(origins, pointer + leaf)});
    }
  }
  std::size_t name_width = 0;
  std::size_t value_width = 0;
  for (const Line& line : lines) {
    name_width = std::max(name_width, line.pointer.size());
    value_width = std::max(value_width, std::min<std::size_t>(line.value.size(), 40));
  }
  std::string text;
  for (const Line& line : lines) {
    text += fmt::format("{:<{}}  {:<{}}  {}\n", line.pointer, name_width, line.value, value_width,
                        line.origin);
  }
  const auto certificates = http::describe_certificates(config.server.tls);
  if (!certificates.empty()) text += "\nThe certificates of /server/tls:\n";
  for (const std::string& line : certificates) text += fmt::format("  {}\n", line);
  return text;
}

}  // namespace fw::config
