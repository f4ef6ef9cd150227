#include <fairway/json.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/admin_pages.hpp"
#include "app/waiting_probes.hpp"
#include "base/json_text.hpp"
#include "config/print_config.hpp"
#include "observe/active_requests.hpp"
#include "observe/process_figures.hpp"

namespace fw::detail {
namespace {

using cluster::ClusterView;

/// Ready if all workers that serve are, and at least one does. A check that fails in one of them
/// fails: any of them may get the next request.
AdminPage cluster_readiness(ClusterView& view) {
  Json checks = Json::object();
  std::size_t serving = 0;
  bool passes = true;
  for (const auto& response : view.readiness()) {
    const Json worker = Json::parse(response.value_or(""), nullptr, /*allow_exceptions=*/false);
    // One that does not respond may get requests, too.
    const Json status = worker.is_object() ? worker.value("status", Json()) : Json();
    if (status == "starting" || status == "stopping") continue;
    ++serving;
    passes = passes && status == "ready";
    if (!worker.is_object() || !worker.contains("checks")) continue;
    for (const auto& [name, state] : worker["checks"].items()) {
      Json& kept = checks[name];
      if (kept.is_null() || kept == "ok") kept = state;
    }
  }
  passes = passes && serving > 0;
  return readiness_page(passes ? 200 : 503, passes ? "ready" : "failing", checks);
}

AdminPage cluster_readiness(ClusterView& view, WaitingProbes& probes) {
  const auto stopping = [] { return readiness_page(503, "stopping", Json::object()); };
  if (view.phase() == ClusterView::Phase::starting) {
    return readiness_page(503, "starting", Json::object());
  }
  // Without workers to wait for, also if as many probes as may wait do.
  if (view.phase() == ClusterView::Phase::stopping) return stopping();
  AdminPage page = probes.page([&] { return cluster_readiness(view); });
  // A stop may have begun meanwhile.
  return view.phase() == ClusterView::Phase::stopping ? stopping() : page;
}

AdminPage cluster_metrics(ClusterView& view, http::Transaction& transaction) {
  const auto accept = transaction.head().fields.find("accept").value_or("");
  const auto format = Exposition::negotiate(accept);
  Exposition supervisor(format);
  write_process_figures(supervisor);
  MetricSum sum = view.metrics();
  sum.add(supervisor.take(), MetricSum::Part::all);
  Exposition text(format);
  for (const MetricFigures& figures : sum.figures()) text.add(figures);
  return {200, Exposition::content_type(format), text.finish()};
}

/// The requests in progress of one worker.
struct WorkerRequests {
  std::uint64_t total = 0;
  std::map<std::string, std::uint64_t> states = {};
  std::vector<Json> rows = {};
};

std::int64_t age_of(const Json& row) { return row.at("age").get<std::int64_t>(); }

/// Nothing if the page has another form: after a reload, workers may be of another program.
std::optional<WorkerRequests> parse_requests(std::string_view text) {
  try {
    const Json page = Json::parse(text);
    WorkerRequests requests{.total = page.at("total").get<std::uint64_t>()};
    page.at("states").get_to(requests.states);
    page.at("requests").get_to(requests.rows);
    for (const Json& row : requests.rows) age_of(row);
    return requests;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

/// As of one process: the oldest first, not more than one shows.
AdminPage cluster_requests(ClusterView& view) {
  std::uint64_t total = 0;
  std::map<std::string, std::uint64_t> states;
  std::vector<Json> rows;
  const ClusterView::Requests requests = view.requests();
  for (const std::string& response : requests.responses) {
    auto worker = parse_requests(response);
    if (!worker) continue;
    total += worker->total;
    for (const auto& [state, count] : worker->states) states[state] += count;
    std::ranges::move(worker->rows, std::back_inserter(rows));
  }
  // Streams and sockets after the others.
  std::ranges::stable_sort(rows, std::less<>(), [](const Json& row) {
    const Json state = row.value("state", Json());
    const bool is_open_ended =
        state == to_string(RequestState::stream) || state == to_string(RequestState::socket);
    return std::pair(is_open_ended, -age_of(row));
  });
  if (rows.size() > ActiveRequests::kMaxRows) rows.resize(ActiveRequests::kMaxRows);
  Json page = {{"total", total}, {"states", states}, {"requests", rows}};
  if (!requests.no_response.empty()) page["noResponse"] = requests.no_response;
  return {200, kJsonPage, base::to_json_text(page)};
}

AdminPage cluster_log_level(ClusterView& view, const Logger& logger,
                            http::Transaction& transaction) {
  if (const auto level = sent_log_level(transaction)) {
    const auto change_own = [&] { change_log_level(logger, *level); };
    return log_level_page(*level, view.set_log_level(*level, change_own));
  }
  return log_level_page(view.log_level().value_or(logger.level()));
}

}  // namespace

std::vector<AdminServer::Row> cluster_pages(const Config& config, const Logger& logger,
                                            cluster::ClusterView& view) {
  return {
      {"/livez", kReadOnlyPage,
       [](http::Transaction&) -> AdminPage { return {200, kJsonPage, R"({"status":"alive"})"}; }},
      {"/readyz", kReadOnlyPage,
       [&view, probes = std::make_shared<WaitingProbes>()](http::Transaction&) {
         return cluster_readiness(view, *probes);
       }},
      {"/metrics", kReadOnlyPage,
       [&view](http::Transaction& transaction) { return cluster_metrics(view, transaction); }},
      {"/requests", kReadOnlyPage, [&view](http::Transaction&) { return cluster_requests(view); }},
      {"/config", kReadOnlyPage,
       [&config](http::Transaction&) -> AdminPage {
         return {200, kJsonPage, base::to_json_text(config::shown_config(config))};
       }},
      {"/log-level", kLogLevelMethods,
       [&view, &logger](http::Transaction& transaction) {
         return cluster_log_level(view, logger, transaction);
       }},
  };
}

}  // namespace fw::detail
