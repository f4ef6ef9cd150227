#include "app/admin_listener.hpp"

#include <fairway/errors.hpp>
#include <fairway/health.hpp>
#include <fairway/metrics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "app/access.hpp"
#include "app/adapter_options.hpp"
#include "base/ascii.hpp"
#include "base/json_text.hpp"
#include "config/print_config.hpp"
#include "exchange/crypto.hpp"
#include "exchange/push_figures.hpp"
#include "exchange/topic_relay.hpp"
#include "exchange/trusted_proxies.hpp"
#include "observe/active_requests.hpp"
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
constexpr std::uint64_t kMaxAdminBody = 1'024;
constexpr std::chrono::milliseconds kBodyTime{5'000};
constexpr std::string_view kReadOnly = "GET, HEAD";

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
  options.request_timeout = kBodyTime;  // a thread waits for the body
  options.trim_interval = {};           // the server's engine does it for the whole process
  return options;
}

void report_log_level(const Logger& logger, LogLevel before, LogLevel level) {
  logger.info(fmt::format("the log level changes from '{}' to '{}' (admin listener)",
                          to_string(before), to_string(level)));
}

std::string_view name_of(HealthChecks::State state) {
  if (state == HealthChecks::State::ok) return "ok";
  return state == HealthChecks::State::failed ? "failed" : "timeout";
}

void write_server_figures(Exposition& text, const http::AdapterFigures& figures) {
  const auto write = [&](const metrics::Metric& metric, std::size_t value) {
    text.begin(metric);
    text.sample({}, static_cast<double>(value));
  };
  write(metrics::kWorkers, figures.workers);
  write(metrics::kBusyWorkers, figures.busy_workers);
  write(metrics::kConnections, figures.connections);
}

void write_topic_figures(Exposition& text, const TopicRelay::Figures& figures) {
  const auto write = [&](const metrics::Metric& metric, const std::atomic<std::uint64_t>& value) {
    text.begin(metric);
    text.sample({}, static_cast<double>(value.load(std::memory_order_relaxed)));
  };
  write(metrics::kTopicEventsPublished, figures.published);
  write(metrics::kTopicEventsDelivered, figures.delivered);
  write(metrics::kTopicEventsLost, figures.lost);
  write(metrics::kTopicEventsUnreadable, figures.unreadable);
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
  const auto row = std::find_if(kPages.begin(), kPages.end(),
                                [&](const PageRow& each) { return each.path == path; });
  if (row == kPages.end()) return respond_with_error(transaction, config, 404);
  bool is_allowed = false;
  base::for_each_token(row->allow, ',', [&](std::string_view method) {
    is_allowed = is_allowed || base::trim_ows(method) == head.method;
  });
  if (!is_allowed) return respond_with_error(transaction, config, 405, "allow", row->allow);
  try {
    respond(transaction, (this->*row->make)(transaction));
  } catch (const HttpError& error) {
    respond_with_error(transaction, config, error.status(), {}, {}, error.what());
  }
}

void AdminListener::respond(http::Transaction& transaction, const Page& page) {
  http::ResponseHead response{.status = page.status, .fields = {}};
  response.fields.add("content-type", page.content_type);
  response.fields.add("cache-control", "no-store");
  response.fields.add("x-content-type-options", "nosniff");
  transaction.respond(response, page.body);
}

AdminListener::Page AdminListener::liveness(http::Transaction&) {
  return {200, kJsonType, R"({"status":"alive"})"};
}

AdminListener::Page AdminListener::readiness(http::Transaction&) {
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

AdminListener::Page AdminListener::metrics(http::Transaction& transaction) {
  const auto accept = transaction.head().fields.find("accept").value_or("");
  const auto format = Exposition::negotiate(accept);
  Exposition text(format);
  core_.env.metrics->write(text);
  if (const auto figures = figures_()) write_server_figures(text, *figures);
  if (const auto* const metrics = core_.client->metrics()) metrics->write(text);
  write_push_figures(text, core_.pipeline().routes());
  write_topic_figures(text, Access::relay(core_.topics).figures());
  if (core_.env.tracer) core_.env.tracer->queue()->write(text);
  write_process_figures(text);
  Access::families(core_.metrics).write(text);
  return {200, Exposition::content_type(format), text.finish()};
}

/// Nothing of a request that could be a secret: not its path, which may have a value in it.
AdminListener::Page AdminListener::requests(http::Transaction&) {
  const ActiveRequests::Snapshot snapshot = core_.env.active->snapshot();
  const auto now = std::chrono::steady_clock::now();
  const auto text_or_null = [](std::string_view text) {
    return text.empty() ? Json(nullptr) : Json(text);
  };
  Json states = Json::object();
  for (std::size_t i = 0; i < kRequestStates; ++i) {
    if (snapshot.states[i] > 0) {
      states[to_string(static_cast<RequestState>(i))] = snapshot.states[i];
    }
  }
  Json rows = Json::array();
  for (const ActiveRequests::Row& row : snapshot.rows) {
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - row.began);
    rows.push_back({{"id", text_or_null(row.id)},
                    {"method", row.method},
                    {"route", text_or_null(row.route)},
                    {"state", to_string(row.state)},
                    {"age", std::max(age.count(), std::chrono::milliseconds::rep{0})},
                    {"late", row.is_late}});
  }
  return {200, kJsonType,
          base::to_json_text(
              {{"total", snapshot.total}, {"states", states}, {"requests", std::move(rows)}})};
}

AdminListener::Page AdminListener::configuration(http::Transaction&) {
  return {200, kJsonType, base::to_json_text(config::shown_config(core_.env.config))};
}

/// Only PUT changes it: a web page cannot send that without permission, unlike a POST.
AdminListener::Page AdminListener::log_level(http::Transaction& transaction) {
  if (transaction.head().method == "PUT") {
    std::string body;
    if (transaction.read_body(kMaxAdminBody, body) != http::BodyStatus::complete) {
      throw HttpError(400, "the body is not complete, or too large");
    }
    const Json content = Json::parse(body, nullptr, /*allow_exceptions=*/false);
    const bool has_level = content.is_object() && content.size() == 1 &&
                           content.contains("level") && content["level"].is_string();
    const auto level =
        has_level ? parse_log_level(content["level"].get_ref<const std::string&>()) : std::nullopt;
    if (!level) {
      throw HttpError(
          400,
          "the body must be {\"level\": …} with one of trace, debug, info, warn, error, "
          "fatal, silent");
    }
    set_log_level(*level);
  }
  return {200, kJsonType, base::to_json_text({{"level", to_string(core_.env.logger.level())}})};
}

void AdminListener::set_log_level(LogLevel level) {
  const Logger& logger = core_.env.logger;
  const LogLevel before = logger.level();
  if (level == before) return;
  // Reported at the lower level, so that the log shows why it ends or begins.
  if (before < level) report_log_level(logger, before, level);
  logger.set_level(level);
  if (level < before) report_log_level(logger, before, level);
}

constexpr std::array<AdminListener::PageRow, 6> AdminListener::kPages = {{
    {"/livez", kReadOnly, &AdminListener::liveness},
    {"/readyz", kReadOnly, &AdminListener::readiness},
    {"/metrics", kReadOnly, &AdminListener::metrics},
    {"/requests", kReadOnly, &AdminListener::requests},
    {"/config", kReadOnly, &AdminListener::configuration},
    {"/log-level", "GET, HEAD, PUT", &AdminListener::log_level},
}};

}  // namespace fw::detail
