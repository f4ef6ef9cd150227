#include "config/config_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "base/ascii.hpp"
#include "base/cookie_attribute.hpp"
#include "compression/coding.hpp"
#include "http/adapter.hpp"
#include "http/cookies.hpp"
#include "http/tls/tls_server.hpp"
#include "http/trusted_proxies.hpp"
#include "settings/config_table.hpp"

namespace fw::config {
namespace {

void add_if_more(std::string_view pointer, std::int64_t value, std::string_view bound_pointer,
                 std::int64_t bound, std::vector<std::string>& errors) {
  if (value > bound) {
    errors.push_back(fmt::format("configuration: {}: {} is more than {}, {}", pointer, value,
                                 bound_pointer, bound));
  }
}

void add_server_errors(const ServerConfig& server, std::vector<std::string>& errors) {
  add_if_more("/server/minWorkers", server.min_workers, "/server/maxWorkers", server.max_workers,
              errors);
  add_if_more("/server/maxConnectionsPerAddress", server.max_connections_per_address,
              "/server/maxConnections", server.max_connections, errors);
  if (!server.unix_socket.empty() && server.reuse_port) {
    errors.emplace_back(
        "configuration: /server/reusePort: is for ports, and /server/unixSocket is set: remove one "
        "of them");
  }
}

/// The files are checked when the server starts.
void add_tls_errors(const Config& config, std::vector<std::string>& errors) {
  const TlsConfig& tls = config.server.tls;
  const auto add = [&](std::string_view member, std::string_view message) {
    errors.push_back(fmt::format("configuration: /server/tls/{}: {}", member, message));
  };
  if (!tls.is_enabled()) {
    constexpr std::string_view kNeedsTls = "has no effect without /server/tls/certificate";
    if (!tls.hosts.empty()) add("hosts", kNeedsTls);
    if (tls.redirect_from != 0) add("redirectFrom", kNeedsTls);
    if (tls.client_certificates.is_enabled()) add("clientCertificates/ca", kNeedsTls);
    return;
  }
  if (!http::has_tls()) add("certificate", "this build of Fairway has no TLS (FAIRWAY_TLS)");
  if (tls.certificate.empty()) add("certificate", "/server/tls/key needs it");
  if (tls.key.empty()) add("key", "/server/tls/certificate needs it");
  if (tls.client_certificates.mode != "optional" && !tls.client_certificates.is_enabled()) {
    add("clientCertificates/mode", "has no effect without /server/tls/clientCertificates/ca");
  }
  if (tls.redirect_from == 0) return;
  if (!config.server.unix_socket.empty()) {
    add("redirectFrom", "there is no port to redirect to, because /server/unixSocket is set");
  } else if (tls.redirect_from == config.port) {
    add("redirectFrom", "it is the port of the server, /port");
  }
}

void add_http2_errors(const Config& config, std::vector<std::string>& errors) {
  const Http2Config& http2 = config.server.http2;
  const auto add = [&](std::string_view member, std::string_view message) {
    errors.push_back(fmt::format("configuration: /server/http2/{}: {}", member, message));
  };
  const bool is_enabled = http2.enabled.value_or(false);
  constexpr bool kHasHttp2 = FAIRWAY_HTTP2;
  if (!kHasHttp2) {
    constexpr std::string_view kMissing = "this build of Fairway has no HTTP/2 (FAIRWAY_HTTP2)";
    if (is_enabled) add("enabled", kMissing);
    if (http2.cleartext) add("cleartext", kMissing);
    return;
  }
  if (is_enabled && !config.server.tls.is_enabled()) {
    add("enabled",
        "has no effect without /server/tls/certificate; for HTTP/2 without TLS, use "
        "/server/http2/cleartext");
  }
  if (http2.cleartext && config.server.tls.is_enabled()) {
    add("cleartext", "has no effect with /server/tls/certificate, as this port serves HTTPS only");
  }
}

/// Reports an engine that the program does not have, and settings that the httplib engine does not
/// support.
void add_engine_errors(const Config& config, std::vector<std::string>& errors) {
  constexpr bool kHasEpoll = FAIRWAY_EPOLL;
  const ServerConfig& server = config.server;
  if (kHasEpoll && server.engine != HttpEngine::httplib) return;
  if (server.engine == HttpEngine::epoll) {
    errors.emplace_back(
        "configuration: /server/engine: this build has no epoll engine: use \"httplib\"");
    return;
  }
  if (!http::has_httplib_engine()) {
    errors.emplace_back(
        "configuration: /server/engine: this program has no httplib engine: link it with "
        "fairway::httplib_engine, or use \"epoll\"");
    return;
  }
  const ServerConfig standard;
  const auto reject = [&](bool is_set, std::string_view pointer, std::string_view reason) {
    if (!is_set) return;
    errors.push_back(fmt::format("configuration: {}: the httplib engine {}", pointer, reason));
  };
  constexpr std::string_view kNoPool =
      "has a thread for each connection, up to /server/maxWorkers: remove this key";
  reject(server.min_workers != standard.min_workers, "/server/minWorkers", kNoPool);
  reject(server.worker_idle_timeout != standard.worker_idle_timeout, "/server/workerIdleTimeout",
         kNoPool);
  reject(server.queue_timeout != standard.queue_timeout, "/server/queueTimeout", kNoPool);
  reject(server.max_connections != standard.max_connections, "/server/maxConnections", kNoPool);
  reject(server.max_connections_per_address != standard.max_connections_per_address,
         "/server/maxConnectionsPerAddress", "does not count connections: remove this key");
  reject(server.max_buffered_bytes.text() != standard.max_buffered_bytes.text(),
         "/server/maxBufferedBytes", "has no budget for buffers: remove this key");
  reject(server.trim_interval != standard.trim_interval, "/server/trimInterval",
         "does not give memory back by itself: remove this key");
  reject(server.http2.enabled.value_or(false), "/server/http2/enabled",
         "has no HTTP/2: use the epoll engine");
  reject(server.http2.cleartext, "/server/http2/cleartext", "has no HTTP/2: use the epoll engine");
  reject(config.cluster.enabled, "/cluster/enabled",
         "serves one process: use the epoll engine, or remove this key");
}

void add_cluster_errors(const ClusterConfig& cluster, std::vector<std::string>& errors) {
  add_if_more("/cluster/restartDelay", cluster.restart_delay, "/cluster/maxRestartDelay",
              cluster.max_restart_delay, errors);
}

void add_cookie_errors(std::string_view pointer, const std::string& name,
                       const CookieConfig& config, std::vector<std::string>& errors) {
  const bool has_valid_parts = base::is_token(name) && base::is_cookie_attribute(config.path) &&
                               base::is_cookie_attribute(config.domain) &&
                               base::is_cookie_attribute(config.priority);
  if (!has_valid_parts) return;
  try {
    http::format_cookie(name, "", http::configured_cookie(name, config, true, std::nullopt));
  } catch (const std::invalid_argument& error) {
    errors.push_back(fmt::format("configuration: {}: {}", pointer, error.what()));
  }
}

void add_csrf_errors(const CsrfConfig& csrf, std::vector<std::string>& errors) {
  add_cookie_errors("/csrf/cookie", csrf.name, csrf.cookie, errors);
  if (csrf.enabled && csrf.mode == CsrfMode::signed_cookie && csrf.secret.empty()) {
    errors.emplace_back("configuration: /csrf/secret: the mode \"signed-cookie\" needs it");
  }
}

void add_admin_errors(const Config& config, std::vector<std::string>& errors) {
  const AdminConfig& admin = config.admin;
  const auto add = [&](std::string_view member, std::string_view message) {
    errors.push_back(fmt::format("configuration: /admin/{}: {}", member, message));
  };
  constexpr std::string_view kNeedsListener = "has no effect without /admin/port or /admin/socket";
  if (!admin.is_enabled()) {
    if (!admin.token.empty()) add("token", kNeedsListener);
    if (admin.host != AdminConfig().host) add("host", kNeedsListener);
    return;
  }
  if (!admin.socket.empty()) {
    if (admin.port != 0) add("port", "/admin/socket is set, too: remove one of them");
    if (admin.host != AdminConfig().host)
      add("host", "is for /admin/port, and /admin/socket is set");
    if (admin.socket == config.server.unix_socket) {
      add("socket", "it is the path of the server, /server/unixSocket");
    }
    return;
  }
  if (admin.port == config.port && config.server.unix_socket.empty()) {
    add("port", "it is the port of the server, /port");
  }
  if (admin.port == config.server.tls.redirect_from) {
    add("port", "it is the port that redirects, /server/tls/redirectFrom");
  }
  if (admin.token.empty() && !http::is_loopback(admin.host)) {
    add("token", fmt::format("it is required, because other machines may reach /admin/host, '{}': "
                             "set it, or use 127.0.0.1 or /admin/socket",
                             admin.host));
  }
}

void add_tracing_errors(const Config& config, std::vector<std::string>& errors) {
  if (!config.tracing.is_enabled() || config.request_context.enabled) return;
  errors.emplace_back(
      "configuration: /tracing/endpoint: traces need /requestContext/enabled: set it to true");
}

/// Another layer may have the endpoint, so that this is no error.
void add_tracing_warnings(const TracingConfig& tracing, std::vector<std::string>& warnings) {
  const TracingConfig defaults;
  const bool has_settings = !tracing.headers.empty() || !tracing.service_name.empty() ||
                            tracing.ratio < defaults.ratio || !tracing.errors ||
                            tracing.queue_size != defaults.queue_size ||
                            tracing.export_interval != defaults.export_interval ||
                            tracing.slow_threshold != defaults.slow_threshold;
  if (tracing.is_enabled() || !has_settings) return;
  warnings.emplace_back(
      "tracing has settings, but tracing.endpoint is not set, so that there are no traces");
}

void add_compression_errors(const CompressionConfig& config, std::vector<std::string>& errors) {
  const bool has_coding =
      std::any_of(config.encodings.begin(), config.encodings.end(), [](const std::string& name) {
        const auto coding = compression::coding_of(name);
        return coding && compression::is_available(*coding);
      });
  if (config.enabled && !has_coding) {
    errors.emplace_back(
        "configuration: /compression/encodings: this build of Fairway has none of these codings");
  }
}

/// What needs HTTPS, where neither the server nor a proxy that it trusts uses it.
void add_cleartext_warnings(const Config& config, std::vector<std::string>& warnings) {
  if (config.server.tls.is_enabled() || config.trust_proxy.mode() != TrustProxy::Mode::none) return;
  constexpr std::string_view kRemedy =
      "set server.tls, or trustProxy if a proxy in front of the server speaks TLS";
  const auto add = [&](std::string_view key, std::string_view what) {
    warnings.push_back(
        fmt::format("{}, but requests arrive in cleartext, so that {}: {}", key, what, kRemedy));
  };
  if (config.security_headers.enabled && config.security_headers.hsts.enabled() == true) {
    add("securityHeaders.hsts is on", "the field is never sent");
  }
  constexpr std::string_view kNotReturned = "browsers do not return the cookie";
  if (config.session.enabled && config.session.cookie.secure == CookieSecure::always) {
    add("session.cookie.secure is true", kNotReturned);
  }
  if (config.csrf.enabled && config.csrf.cookie.secure == CookieSecure::always) {
    add("csrf.cookie.secure is true", kNotReturned);
  }
}

}  // namespace

std::vector<std::string> config_errors(const Config& config) {
  std::vector<std::string> errors;
  // Values that were set in code must be valid in a JSON layer, too.
  Config scratch;
  for (const settings::ConfigKey& key : settings::config_keys()) {
    const Json value = key.write(config);
    if (!key.read(scratch, value)) {
      errors.push_back(fmt::format("configuration: {}: expected {}, not {}", key.pointer,
                                   key.expectation, value.dump()));
      continue;
    }
    for (const settings::ValueError& error : key.errors(config)) {
      errors.push_back(
          fmt::format("configuration: {}{}: {}", key.pointer, error.pointer, error.message));
    }
  }
  add_compression_errors(config.compression, errors);
  add_server_errors(config.server, errors);
  add_tls_errors(config, errors);
  add_http2_errors(config, errors);
  add_engine_errors(config, errors);
  add_cluster_errors(config.cluster, errors);
  add_admin_errors(config, errors);
  add_tracing_errors(config, errors);
  add_cookie_errors("/session/cookie", config.session.name, config.session.cookie, errors);
  add_csrf_errors(config.csrf, errors);
  return errors;
}

std::vector<std::string> config_warnings(const Config& config) {
  std::vector<std::string> warnings;
  add_cleartext_warnings(config, warnings);
  add_tracing_warnings(config.tracing, warnings);
  if (config.csrf.enabled && config.csrf.methods.empty()) {
    warnings.emplace_back(
        "csrf is enabled, but csrf.methods is empty, so that no request needs a token");
  }
  return warnings;
}

}  // namespace fw::config
