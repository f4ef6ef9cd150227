#include "client/fetch_config_errors.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <exception>

#include "client/url.hpp"

namespace fw::detail {

std::vector<std::string> fetch_config_errors(const FetchConfig& config, bool has_http2) {
  std::vector<std::string> errors;
  for (std::size_t i = 0; i < config.proxy.size(); ++i) {
    try {
      outbound::parse_base_url(config.proxy[i].base_url);
    } catch (const std::exception& error) {
      errors.push_back(fmt::format("configuration: /fetch/proxy/{}/baseURL: {}", i, error.what()));
    }
  }
  if (config.tls.certificate_file.empty() != config.tls.key_file.empty()) {
    errors.emplace_back(
        "configuration: /fetch/tls: certificateFile and keyFile belong together: set both");
  }
  if (config.http2.enabled.value_or(false) && !has_http2) {
    errors.emplace_back(
        "configuration: /fetch/http2/enabled: the installed libcurl has no HTTP/2, or this build "
        "of "
        "Fairway has no outbound client (FAIRWAY_FETCH)");
  }
  return errors;
}

}  // namespace fw::detail
