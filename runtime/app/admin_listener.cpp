#include "app/admin_listener.hpp"

#include <fairway/health.hpp>

#include <exception>
#include <utility>
#include <vector>

#include "app/access.hpp"
#include "app/admin_pages.hpp"
#include "base/json_text.hpp"
#include "config/print_config.hpp"
#include "features/topics/topic_relay.hpp"
#include "observe/active_requests.hpp"
#include "observe/health_checks.hpp"
#include "observe/metric_families.hpp"
#include "observe/metric_sum.hpp"
#include "observe/process_figures.hpp"

namespace fw::detail {
namespace {

std::string_view name_of(HealthChecks::State state) {
  if (state == HealthChecks::State::ok) return "ok";
  return state == HealthChecks::State::failed ? "failed" : "timeout";
}

/// The labels of `http::Flood`.
constexpr std::array<std::string_view, http::kFloods> kFloodKinds = {"reset", "frame",
                                                                     "continuation", "field"};

void write_server_figures(Exposition& text, const http::AdapterFigures& figures) {
  const auto write = [&](const metrics::Metric& metric, std::size_t value) {
    text.begin(metric);
    text.sample({}, static_cast<double>(value));
  };
  write(metrics::kWorkers, figures.workers);
  write(metrics::kBusyWorkers, figures.busy_workers);
  write(metrics::kConnections, figures.connections);
  if (!figures.floods) return;
  text.begin(metrics::kHttp2Floods);
  for (std::size_t i = 0; i < http::kFloods; ++i) {
    text.sample({{"kind", std::string(kFloodKinds[i])}}, static_cast<double>((*figures.floods)[i]));
  }
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

AdminListener::AdminListener(AppCore& core, Figures figures, const cluster::WorkerRole* role)
    : core_(core), figures_(std::move(figures)) {
  if (role == nullptr) {
    std::vector<AdminServer::Row> rows;
    for (const PageRow& row : kPages) {
      rows.push_back({row.path, row.allow, [this, &row](http::Transaction& transaction) {
                        return (this->*row.make)(transaction);
                      }});
    }
    server_ = std::make_unique<AdminServer>(core_.env.config, std::move(rows));
  } else {
    responder_ = std::make_unique<cluster::WorkerResponder>(
        role->admin_socket(), role->admin_file(),
        [this](cluster::WorkerQuestion question, std::uint8_t argument) {
          return respond_to(question, argument);
        },
        [this] {
          core_.env.logger.error(
              "the supervisor of this worker is of a version whose questions the worker does not "
              "understand, so that the admin listener shows nothing of it: start the cluster again "
              "instead of reloading it");
        });
  }
}

bool AdminListener::stop(std::chrono::milliseconds grace) {
  if (responder_) responder_->finish();
  return !server_ || server_->stop(grace);
}

std::optional<std::string> AdminListener::respond_to(cluster::WorkerQuestion question,
                                                     std::uint8_t argument) noexcept {
  try {
    if (question == cluster::WorkerQuestion::readiness) return ready_page().body;
    if (question == cluster::WorkerQuestion::requests) return requests_text();
    if (question == cluster::WorkerQuestion::log_level) {
      const Logger& logger = core_.env.logger;
      if (argument != 0) change_log_level(logger, static_cast<LogLevel>(argument));
      return std::string(to_string(logger.level()));
    }
    Exposition text(Exposition::Format::openmetrics);
    write_metrics(text);
    return figures_text(text.take());
  } catch (const std::exception&) {
    return std::nullopt;  // out of memory: no response
  }
}

AdminPage AdminListener::liveness(http::Transaction&) {
  return {200, kJsonPage, R"({"status":"alive"})"};
}

AdminPage AdminListener::readiness(http::Transaction&) {
  // Without checks to wait for, as before the start.
  if (phase_ != Phase::serving) return ready_page();
  return probes_.page([this] { return ready_page(); });
}

AdminPage AdminListener::ready_page() {
  const Phase phase = phase_;
  if (phase == Phase::starting) return readiness_page(503, "starting", Json::object());
  if (phase == Phase::stopping) return readiness_page(503, "stopping", Json::object());
  Json checks = Json::object();
  bool passes = true;
  for (const auto& [name, state] : Access::checks(core_.health).run()) {
    checks[name] = name_of(state);
    passes = passes && state == HealthChecks::State::ok;
  }
  // A stop may have begun while the checks ran.
  if (phase_ == Phase::stopping) return readiness_page(503, "stopping", checks);
  return readiness_page(passes ? 200 : 503, passes ? "ready" : "failing", checks);
}

void AdminListener::write_metrics(Exposition& text) const {
  // Null in a worker that has read a configuration without `admin`.
  if (core_.env.metrics) core_.env.metrics->write(text);
  if (const auto figures = figures_()) write_server_figures(text, *figures);
  if (const auto* const metrics = core_.client->metrics()) metrics->write(text);
  if (const auto* const metrics = core_.env.stores.metrics()) metrics->write(text);
  write_push_figures(text, core_.pipeline().routes());
  write_topic_figures(text, Access::relay(core_.topics).figures());
  if (core_.env.tracer) core_.env.tracer->queue()->write(text);
  write_process_figures(text);
  Access::families(core_.metrics).write(text);
}

AdminPage AdminListener::metrics(http::Transaction& transaction) {
  const auto accept = transaction.head().fields.find("accept").value_or("");
  const auto format = Exposition::negotiate(accept);
  Exposition text(format);
  write_metrics(text);
  return {200, Exposition::content_type(format), text.finish()};
}

/// Nothing of a request that could be a secret: not its path, which may have a value in it.
std::string AdminListener::requests_text() {
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
  return base::to_json_text(
      {{"total", snapshot.total}, {"states", states}, {"requests", std::move(rows)}});
}

AdminPage AdminListener::requests(http::Transaction&) { return {200, kJsonPage, requests_text()}; }

AdminPage AdminListener::configuration(http::Transaction&) {
  return {200, kJsonPage, base::to_json_text(config::shown_config(core_.env.config))};
}

AdminPage AdminListener::log_level(http::Transaction& transaction) {
  if (const auto level = sent_log_level(transaction)) change_log_level(core_.env.logger, *level);
  return log_level_page(core_.env.logger.level());
}

constexpr std::array<AdminListener::PageRow, 6> AdminListener::kPages = {{
    {"/livez", kReadOnlyPage, &AdminListener::liveness},
    {"/readyz", kReadOnlyPage, &AdminListener::readiness},
    {"/metrics", kReadOnlyPage, &AdminListener::metrics},
    {"/requests", kReadOnlyPage, &AdminListener::requests},
    {"/config", kReadOnlyPage, &AdminListener::configuration},
    {"/log-level", kLogLevelMethods, &AdminListener::log_level},
}};

}  // namespace fw::detail
