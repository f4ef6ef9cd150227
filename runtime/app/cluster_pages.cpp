#include "app/cluster_pages.hpp"

#include <fairway/json.hpp>

#include <string>
#include <string_view>

#include "base/json_text.hpp"
#include "config/print_config.hpp"
#include "observe/process_figures.hpp"

namespace fw::detail {
namespace {

using cluster::ClusterView;

AdminPage ready_page(int status, std::string_view state, const Json& checks) {
  return {status, kJsonPage, base::to_json_text({{"status", state}, {"checks", checks}})};
}

/// Ready if all workers that serve are, and at least one does. A check that fails in one of them
/// fails: any of them may get the next request.
AdminPage cluster_readiness(ClusterView& view) {
  if (view.phase() == ClusterView::Phase::starting) {
    return ready_page(503, "starting", Json::object());
  }
  Json checks = Json::object();
  std::size_t serving = 0;
  bool passes = true;
  for (const auto& response : view.readiness()) {
    const Json worker = Json::parse(response.value_or(""), nullptr, /*allow_exceptions=*/false);
    // One that does not respond may get requests, too.
    const std::string status =
        worker.is_object() ? worker.value("status", std::string()) : std::string();
    if (status == "starting" || status == "stopping") continue;
    ++serving;
    passes = passes && status == "ready";
    if (!worker.is_object() || !worker.contains("checks")) continue;
    for (const auto& [name, state] : worker["checks"].items()) {
      Json& kept = checks[name];
      if (kept.is_null() || kept == "ok") kept = state;
    }
  }
  // A stop may have begun while the checks ran.
  if (view.phase() == ClusterView::Phase::stopping) return ready_page(503, "stopping", checks);
  passes = passes && serving > 0;
  return ready_page(passes ? 200 : 503, passes ? "ready" : "failing", checks);
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

}  // namespace

std::vector<AdminServer::Row> cluster_pages(const Config& config, cluster::ClusterView& view) {
  return {
      {"/livez", kReadOnlyPage,
       [](http::Transaction&) -> AdminPage { return {200, kJsonPage, R"({"status":"alive"})"}; }},
      {"/readyz", kReadOnlyPage, [&view](http::Transaction&) { return cluster_readiness(view); }},
      {"/metrics", kReadOnlyPage,
       [&view](http::Transaction& transaction) { return cluster_metrics(view, transaction); }},
      {"/config", kReadOnlyPage,
       [&config](http::Transaction&) -> AdminPage {
         return {200, kJsonPage, base::to_json_text(config::shown_config(config))};
       }},
  };
}

}  // namespace fw::detail
