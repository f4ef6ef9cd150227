#include "app/https_redirect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "app/adapter_options.hpp"
#include "base/ascii.hpp"

namespace fw::detail {
namespace {

constexpr std::uint16_t kHttpsPort = 443;

bool is_host(std::string_view text) {
  const bool is_ipv6 = text.starts_with('[') && text.ends_with(']') && text.size() > 2;
  if (is_ipv6) text = text.substr(1, text.size() - 2);
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return base::is_alphanumeric(c) || c == '.' || c == '-' || c == '_' || (is_ipv6 && c == ':');
  });
}

void redirect(const Config& config, std::uint16_t https_port, http::Transaction& transaction) {
  const http::RequestHead& head = transaction.head();
  const auto host = head.fields.find("host");
  const std::string url = host ? https_url(*host, head.target, https_port) : std::string();
  if (url.empty()) {
    auto [response, body] = adapter_error(config, 400, "this port only redirects to HTTPS");
    transaction.respond(response, body);
    return;
  }
  transaction.respond({.status = 308, .fields = {{"location", url}}}, {});
}

}  // namespace

HttpsRedirect::HttpsRedirect(const Config& config, std::uint16_t https_port)
    : adapter_(make_adapter(config.server.engine)) {
  http::AdapterOptions options = adapter_options(config);
  options.port = static_cast<std::uint16_t>(config.server.tls.redirect_from);
  options.reuse_port = options.reuse_port || config.cluster.enabled;  // each worker opens it
  options.min_workers = 1;
  adapter_->start(
      std::move(options),
      [&config, https_port](const std::shared_ptr<http::Transaction>& transaction) {
        redirect(config, https_port, *transaction);
      },
      [&config](int status, std::string_view message) {
        return adapter_error(config, status, message);
      });
}

std::string https_url(std::string_view host, std::string_view target, std::uint16_t https_port) {
  const auto colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) {
    host = host.substr(0, colon);
  }
  if (!is_host(host) || !target.starts_with('/')) return {};
  const std::string port = https_port == kHttpsPort ? "" : fmt::format(":{}", https_port);
  return fmt::format("https://{}{}{}", host, port, target);
}

}  // namespace fw::detail
