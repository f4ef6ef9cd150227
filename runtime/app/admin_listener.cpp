#include "app/admin_listener.hpp"

#include <fairway/health.hpp>
#include <fairway/metrics.hpp>

#include <utility>
#include <vector>

#include "app/access.hpp"
#include "app/adapter_options.hpp"
#include "base/ascii.hpp"
#include "base/json_text.hpp"
#include "exchange/crypto.hpp"
#include "exchange/trusted_proxies.hpp"
#include "observe/exposition.hpp"
#include "observe/health_checks.hpp"
#include "observe/metric_families.hpp"
#include "observe/process_figures.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kJsonType = "application/json; charset=utf-8";
/// Probes wait for checks, and a few clients at a time are enough.
constexpr std::size_t kMaxAdminWorkers = 16;
constexpr std::size_t kMaxAdminConnections = 64;

http::AdapterOptions admin_options(const Config& config) {
  http::AdapterOptions options = adapter_options(config);
  options.host = config.admin.host;
  options.port = static_cast<std::uint16_t>(config.admin.port);
  options.unix_socket = config.admin.socket;
  options.reuse_port = false;
  options.http2 = {};
  options.min_workers = 1;
  options.max_workers = kMaxAdminWorkers;
  options.max_connections = kMaxAdminConnections;
  options.max_connections_per_address = 0;
  options.max_requests_per_connection = 0;
  options.trim_interval = {};  // the server's engine does it for the whole process
  return options;
}

std::string_view name_of(HealthChecks::State state) {
  if (state == HealthChecks::State::ok) return "ok";
  return state == HealthChecks::State::failed ? "failed" : "timeout";
}

void write_server_figures(Exposition& text, const http::AdapterFigures& figures) {
  const auto gauge = [&](std::string_view name, std::string_view help, std::size_t value) {
    text.begin(name, Exposition::Kind::gauge, help);
    text.sample({}, static_cast<double>(value));
  };
  gauge("fairway_workers", "Threads that handle requests.", figures.workers);
  gauge("fairway_busy_workers", "Threads that are handling a request or another event.",
        figures.busy_workers);
  gauge("fairway_connections", "Open connections of clients.", figures.connections);
}

}  // namespace

AdminListener::AdminListener(AppCore& core, Figures figures)
    : core_(core),
      figures_(std::move(figures)),
      adapter_(make_adapter(core.env.config.server.engine)) {
  const Config& config = core_.env.config;
  adapter_->start(
      admin_options(config),
      [this](const std::shared_ptr<http::Transaction>& transaction) { handle(*transaction); },
      [&config](int status, std::string_view message) {
        return adapter_error(config, status, message);
      });
}

bool AdminListener::has_token(const http::RequestHead& head) const {
  const std::string& token = core_.env.config.admin.token;
  if (token.empty()) return true;
  constexpr std::string_view kScheme = "bearer ";
  const std::string_view field = head.fields.find("authorization").value_or("");
  if (!base::equal_ignoring_case(field.substr(0, kScheme.size()), kScheme)) return false;
  return equal_in_constant_time(base::trim_ows(field.substr(kScheme.size())), token);
}

/// Without a token, a page that a browser of this machine shows could read the metrics: by a name
/// of its own that its name server resolves to 127.0.0.1 (DNS rebinding). A browser always sends
/// the name, and no page chooses what a unix socket gets.
bool AdminListener::has_own_host(const http::RequestHead& head) const {
  const AdminConfig& admin = core_.env.config.admin;
  if (!admin.token.empty() || !admin.socket.empty()) return true;
  const auto host = head.fields.find("host");
  return !host || is_loopback(*host);
}

void AdminListener::respond_with_error(http::Transaction& transaction, const Config& config,
                                       int status, std::string_view field, std::string_view value,
                                       std::string_view message) {
  auto [head, body] = adapter_error(config, status, message);
  head.fields.add("cache-control", "no-store");
  if (!field.empty()) head.fields.add(field, value);
  transaction.respond(head, body);
}

void AdminListener::handle(http::Transaction& transaction) {
  const http::RequestHead& head = transaction.head();
  const Config& config = core_.env.config;
  if (!has_token(head)) {
    return respond_with_error(transaction, config, 401, "www-authenticate", "Bearer");
  }
  if (!has_own_host(head)) {
    return respond_with_error(transaction, config, 421, {}, {},
                              "without a token, Host must be localhost or a loopback address");
  }
  const std::string_view target = head.target;
  const std::string_view path = target.substr(0, target.find('?'));
  if (path != "/livez" && path != "/readyz" && path != "/metrics") {
    return respond_with_error(transaction, config, 404);
  }
  if (head.method != "GET" && head.method != "HEAD") {
    return respond_with_error(transaction, config, 405, "allow", "GET, HEAD");
  }
  const Page page = path == "/livez"    ? Page{200, kJsonType, R"({"status":"alive"})"}
                    : path == "/readyz" ? readiness()
                                        : metrics(head);
  http::ResponseHead response{.status = page.status, .fields = {}};
  response.fields.add("content-type", page.content_type);
  response.fields.add("cache-control", "no-store");
  response.fields.add("x-content-type-options", "nosniff");
  transaction.respond(response, page.body);
}

AdminListener::Page AdminListener::readiness() {
  const auto page = [](int status, std::string_view state, const Json& checks) {
    return Page{status, kJsonType, base::to_json_text({{"status", state}, {"checks", checks}})};
  };
  const Phase phase = phase_;
  if (phase == Phase::starting) return page(503, "starting", Json::object());
  if (phase == Phase::stopping) return page(503, "stopping", Json::object());
  Json checks = Json::object();
  bool passes = true;
  for (const auto& [name, state] : Access::checks(core_.health).run()) {
    checks[name] = name_of(state);
    passes = passes && state == HealthChecks::State::ok;
  }
  // A stop may have begun while the checks ran.
  if (phase_ == Phase::stopping) return page(503, "stopping", checks);
  return page(passes ? 200 : 503, passes ? "ready" : "failing", checks);
}

AdminListener::Page AdminListener::metrics(const http::RequestHead& head) {
  const auto accept = head.fields.find("accept").value_or("");
  const auto format = Exposition::negotiate(accept);
  Exposition text(format);
  core_.env.metrics->write(text);
  if (const auto figures = figures_()) write_server_figures(text, *figures);
  write_process_figures(text);
  Access::families(core_.metrics).write(text);
  return {200, Exposition::content_type(format), text.finish()};
}

}  // namespace fw::detail
