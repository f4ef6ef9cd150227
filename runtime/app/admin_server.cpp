#include "app/admin_server.hpp"

#include <fairway/errors.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "app/adapter_error.hpp"
#include "base/ascii.hpp"
#include "crypto/digests.hpp"
#include "http/trusted_proxies.hpp"

namespace fw::detail {
namespace {

constexpr std::size_t kMaxAdminConnections = 64;
constexpr std::chrono::milliseconds kHeadTime{2'000};
constexpr std::chrono::milliseconds kBodyTime{5'000};

http::AdapterOptions admin_options(const Config& config) {
  http::AdapterOptions options(config);
  options.host = config.admin.host;
  options.port = static_cast<std::uint16_t>(config.admin.port);
  options.unix_socket = config.admin.socket;
  options.reuse_port = false;
  options.http2.over_tls = false;
  options.http2.cleartext = false;
  options.min_workers = 1;
  options.max_workers = kMaxAdminWorkers;
  options.max_connections = kMaxAdminConnections;
  options.max_connections_per_address = kMaxAdminConnectionsPerAddress;
  options.headers_timeout = std::min(options.headers_timeout, kHeadTime);
  options.max_requests_per_connection = 0;
  options.request_timeout = kBodyTime;  // a thread waits for the body
  options.trim_interval = {};           // the server's engine does it for the whole process
  return options;
}

}  // namespace

AdminServer::AdminServer(const Config& config, std::vector<Row> rows)
    : config_(config), rows_(std::move(rows)), adapter_(http::make_adapter(config.server.engine)) {
  adapter_->start(
      admin_options(config),
      [this](const std::shared_ptr<http::Transaction>& transaction) { handle(*transaction); },
      [&config](int status, std::string_view message) {
        return adapter_error(config, status, message);
      });
}

bool AdminServer::has_token(const http::RequestHead& head) const {
  const std::string& token = config_.admin.token;
  if (token.empty()) return true;
  constexpr std::string_view kScheme = "bearer ";
  const std::string_view field = head.fields.find("authorization").value_or("");
  if (!base::equal_ignoring_case(field.substr(0, kScheme.size()), kScheme)) return false;
  return crypto::equal_in_constant_time(base::trim_ows(field.substr(kScheme.size())), token);
}

/// Without a token, a page that a browser of this machine shows could read the metrics: by a name
/// of its own that its name server resolves to 127.0.0.1 (DNS rebinding). A browser always sends
/// the name, and no page chooses what a unix socket gets.
bool AdminServer::has_own_host(const http::RequestHead& head) const {
  const AdminConfig& admin = config_.admin;
  if (!admin.token.empty() || !admin.socket.empty()) return true;
  const auto host = head.fields.find("host");
  return !host || http::is_loopback(*host);
}

void AdminServer::respond_with_error(http::Transaction& transaction, const Config& config,
                                     int status, std::string_view field, std::string_view value,
                                     std::string_view message) {
  auto [head, body] = adapter_error(config, status, message);
  head.fields.add("cache-control", "no-store");
  if (!field.empty()) head.fields.add(field, value);
  transaction.respond(head, body);
}

void AdminServer::handle(http::Transaction& transaction) const {
  const http::RequestHead& head = transaction.head();
  if (!has_token(head)) {
    return respond_with_error(transaction, config_, 401, "www-authenticate", "Bearer");
  }
  if (!has_own_host(head)) {
    return respond_with_error(transaction, config_, 421, {}, {},
                              "without a token, Host must be localhost or a loopback address");
  }
  const std::string_view target = head.target;
  const std::string_view path = target.substr(0, target.find('?'));
  const auto row =
      std::find_if(rows_.begin(), rows_.end(), [&](const Row& each) { return each.path == path; });
  if (row == rows_.end()) return respond_with_error(transaction, config_, 404);
  bool is_allowed = false;
  base::for_each_token(row->allow, ',', [&](std::string_view method) {
    is_allowed = is_allowed || base::trim_ows(method) == head.method;
  });
  if (!is_allowed) return respond_with_error(transaction, config_, 405, "allow", row->allow);
  try {
    respond(transaction, row->make(transaction));
  } catch (const HttpError& error) {
    respond_with_error(transaction, config_, error.status(), {}, {}, error.what());
  }
}

void AdminServer::respond(http::Transaction& transaction, const AdminPage& page) {
  http::ResponseHead response{.status = page.status, .fields = {}};
  response.fields.add("content-type", page.content_type);
  response.fields.add("cache-control", "no-store");
  response.fields.add("x-content-type-options", "nosniff");
  transaction.respond(response, page.body);
}

}  // namespace fw::detail
