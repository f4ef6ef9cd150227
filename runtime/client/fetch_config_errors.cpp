#include "client/fetch_config_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <string_view>

#include "base/ascii.hpp"
#include "client/url.hpp"

namespace fw::detail {
namespace {

/// Properties of JavaScript functions. In the JavaScript implementation, targets are properties of
/// a function, and configuration files should work for both.
constexpr std::array<std::string_view, 14> kReservedNames = {
    "__proto__", "apply",       "arguments",      "bind",   "call",
    "caller",    "constructor", "length",         "name",   "hasOwnProperty",
    "prototype", "toString",    "toLocaleString", "valueOf"};

void check_target(const FetchProxyTarget& target, const std::string& location,
                  std::vector<std::string>& errors) {
  if (std::find(kReservedNames.begin(), kReservedNames.end(), target.name) !=
      kReservedNames.end()) {
    errors.push_back(
        fmt::format("{}/name: '{}' is reserved: choose another name", location, target.name));
  }
  try {
    outbound::parse_base_url(target.base_url);
  } catch (const std::exception& error) {
    errors.push_back(fmt::format("{}/baseURL: {}", location, error.what()));
  }
  for (const auto& [name, value] : target.headers) {
    if (!base::is_token(name)) {
      errors.push_back(fmt::format("{}/headers: '{}' is not a valid header name", location, name));
    }
  }
}

}  // namespace

std::vector<std::string> fetch_config_errors(const FetchConfig& config) {
  std::vector<std::string> errors;
  for (const std::string& name : config.propagate_headers) {
    if (!base::is_token(name)) {
      errors.push_back(fmt::format(
          "configuration: /fetch/propagateHeaders: '{}' is not a valid header name", name));
    }
  }
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < config.proxy.size(); ++i) {
    const std::string location = fmt::format("configuration: /fetch/proxy/{}", i);
    check_target(config.proxy[i], location, errors);
    if (!names.insert(config.proxy[i].name).second) {
      errors.push_back(
          fmt::format("{}/name: there is another target '{}'", location, config.proxy[i].name));
    }
  }
  if (!config.via.empty() && !base::is_token(config.via)) {
    errors.push_back(fmt::format(
        "configuration: /fetch/via: '{}' is not a name of letters, digits, '-', '.' and '_'",
        config.via));
  }
  if (config.tls.certificate_file.empty() != config.tls.key_file.empty()) {
    errors.emplace_back(
        "configuration: /fetch/tls: certificateFile and keyFile belong together: set both");
  }
  return errors;
}

}  // namespace fw::detail
