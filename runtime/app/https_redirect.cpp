#include "app/https_redirect.hpp"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "app/adapter_error.hpp"
#include "base/origin.hpp"
#include "chain/error_response.hpp"
#include "errors/messages.hpp"
#include "exchange/current.hpp"
#include "exchange/exchange.hpp"
#include "pipeline/access_log.hpp"
#include "pipeline/pipeline.hpp"

namespace fw::detail {
namespace {

constexpr std::uint16_t kHttpsPort = 443;

/// Sets the response.
void redirect(Exchange& exchange, std::uint16_t https_port) {
  assign_request_id(exchange);
  const auto host = exchange.head.fields.find("host");
  const std::string url = host ? https_url(*host, exchange.head.target, https_port) : std::string();
  if (url.empty()) throw status_error(400, "this port only redirects to HTTPS");
  exchange.outgoing.redirect(url, 308);
}

/// Like a request of the application, it has an id and a line of the access log.
void handle(const Environment& env, std::uint16_t https_port,
            const std::shared_ptr<http::Transaction>& transaction) {
  const auto begin = std::chrono::steady_clock::now();
  Exchange exchange(env, transaction);
  const CurrentContextScope scope = enter_context(exchange);
  try {
    redirect(exchange, https_port);
  } catch (...) {
    respond_with_error(exchange, std::current_exception());
  }
  const OutgoingResponse& response = exchange.outgoing;
  if (env.config.access_log.enabled) {
    write_access_line(exchange, {response.status, response.size(), begin});
  }
  transaction->respond(response, response.body);
}

}  // namespace

HttpsRedirect::HttpsRedirect(const Environment& env, std::uint16_t https_port)
    : adapter_(http::make_adapter(env.config.server.engine)) {
  const Config& config = env.config;
  http::AdapterOptions options(config);
  options.port = static_cast<std::uint16_t>(config.server.tls.redirect_from);
  options.reuse_port = options.reuse_port || config.cluster.enabled;  // each worker opens it
  options.min_workers = 1;
  adapter_->start(
      std::move(options),
      [&env, https_port](const std::shared_ptr<http::Transaction>& transaction) {
        handle(env, https_port, transaction);
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
  if (!base::is_host(host) || !target.starts_with('/')) return {};
  const std::string port = https_port == kHttpsPort ? "" : fmt::format(":{}", https_port);
  return fmt::format("https://{}{}{}", host, port, target);
}

}  // namespace fw::detail
