#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "emit/observability.hpp"
#include "emit/promql.hpp"
#include "schema/fingerprint.hpp"

namespace fairway::emit {
namespace {

using model::Json;
namespace metrics = fw::metrics;

constexpr std::string_view kWindow = "$__rate_interval";
constexpr int kColumns = 24;
constexpr int kHeight = 8;

/// A matcher of the job that the reader of the dashboard has chosen.
promql::Matcher chosen_job() { return {"job", "=", "$job"}; }

std::string matchers(const std::vector<promql::Matcher>& more = {}) {
  std::vector<promql::Matcher> all{chosen_job()};
  all.insert(all.end(), more.begin(), more.end());
  return promql::selector(all);
}

struct Query {
  std::string text;
  std::string legend;
};

struct Chart {
  std::string title;
  std::string_view unit;  ///< of Grafana
  std::vector<Query> queries;
  std::string description = {};
  std::optional<double> limit = {};  ///< drawn as a line
};

/// The routes of a tag with one method.
struct RouteGroup {
  std::string method;
  std::vector<std::string> paths;

  std::vector<promql::Matcher> matchers() const {
    return {chosen_job(),
            {metrics::kMethodLabel, "=", method},
            {metrics::kRouteLabel, "=~", promql::one_of(paths)}};
  }
};

std::string requests(const std::string& selector, std::string_view labels) {
  return promql::sum(labels, promql::rate(metrics::kRequestDuration, "_count", selector, kWindow));
}

std::string total(const metrics::Metric& metric, std::string_view labels) {
  return promql::sum(labels, promql::rate(metric, "", matchers(), kWindow));
}

std::string current(const metrics::Metric& metric, std::string_view labels = {}) {
  return promql::sum(labels, metric.series() + matchers());
}

std::string legend_of(std::initializer_list<std::string_view> labels) {
  std::string text;
  for (const std::string_view label : labels) {
    text += fmt::format("{}{{{{{}}}}}", text.empty() ? "" : " ", label);
  }
  return text;
}

class Dashboard {
 public:
  /// Charts in one line.
  void add_line(const std::vector<Chart>& charts) { lay_out(charts, panels_); }

  /// A line with a heading, which the reader of the dashboard opens.
  void add_row(const std::string& title, const std::vector<Chart>& charts, bool is_open) {
    Json row = {{"type", "row"},
                {"id", ++last_id_},
                {"title", title},
                {"collapsed", !is_open},
                {"gridPos", {{"x", 0}, {"y", y_++}, {"w", kColumns}, {"h", 1}}},
                {"panels", Json::array()}};
    if (!is_open) lay_out(charts, row["panels"]);
    panels_.push_back(std::move(row));
    if (is_open) lay_out(charts, panels_);
  }

  Json take(const DashboardOptions& options) && {
    return {
        {"uid", fmt::format("fairway-{:016x}", fw::schema::fingerprint(options.title))},
        {"title", options.title},
        {"tags", {"fairway"}},
        {"editable", true},
        {"graphTooltip", 1},
        {"schemaVersion", 39},
        {"time", {{"from", "now-6h"}, {"to", "now"}}},
        {"refresh", "30s"},
        {"templating", {{"list", {source_variable(), job_variable(options.job)}}}},
        {"panels", std::move(panels_)},
    };
  }

 private:
  static Json source() { return {{"type", "prometheus"}, {"uid", "${datasource}"}}; }

  static Json source_variable() {
    return {{"name", "datasource"},
            {"label", "Prometheus"},
            {"type", "datasource"},
            {"query", "prometheus"}};
  }

  static Json job_variable(const std::string& job) {
    const std::string query =
        fmt::format("label_values({}, job)", metrics::kActiveRequests.series());
    Json variable = {{"name", "job"},       {"label", "Job"}, {"type", "query"},
                     {"refresh", 1},        {"sort", 1},      {"datasource", source()},
                     {"definition", query}, {"query", query}};
    if (!job.empty()) variable["current"] = {{"text", job}, {"value", job}};
    return variable;
  }

  void lay_out(const std::vector<Chart>& charts, Json& panels) {
    if (charts.empty()) return;
    constexpr int kMaxInLine = 4;
    const int in_line = std::min(static_cast<int>(charts.size()), kMaxInLine);
    const int width = kColumns / in_line;
    int x = 0;
    for (const Chart& chart : charts) {
      if (x + width > kColumns) {
        x = 0;
        y_ += kHeight;
      }
      panels.push_back(panel(chart, x, width));
      x += width;
    }
    y_ += kHeight;
  }

  Json panel(const Chart& chart, int x, int width) {
    Json targets = Json::array();
    for (const Query& query : chart.queries) {
      targets.push_back({{"refId", fmt::format("Q{}", targets.size() + 1)},
                         {"datasource", source()},
                         {"expr", query.text},
                         {"legendFormat", query.legend}});
    }
    Json defaults = {{"unit", chart.unit}, {"min", 0}};
    if (chart.limit) {
      defaults["custom"] = {{"thresholdsStyle", {{"mode", "line"}}}};
      defaults["thresholds"] = {{"mode", "absolute"},
                                {"steps",
                                 {{{"color", "green"}, {"value", nullptr}},
                                  {{"color", "red"}, {"value", *chart.limit}}}}};
    }
    Json result = {
        {"type", "timeseries"},
        {"id", ++last_id_},
        {"title", chart.title},
        {"datasource", source()},
        {"gridPos", {{"x", x}, {"y", y_}, {"w", width}, {"h", kHeight}}},
        {"fieldConfig", {{"defaults", std::move(defaults)}, {"overrides", Json::array()}}},
        {"options", {{"tooltip", {{"mode", "multi"}}}}},
        {"targets", std::move(targets)}};
    if (!chart.description.empty()) result["description"] = chart.description;
    return result;
  }

  Json panels_ = Json::array();
  int last_id_ = 0;
  int y_ = 0;
};

void add_overview(Dashboard& dashboard) {
  std::vector<Query> percentiles;
  for (const auto& [quantile, legend] :
       {std::pair("0.5", "50 %"), {"0.9", "90 %"}, {"0.99", "99 %"}}) {
    percentiles.push_back(
        {promql::quantile(quantile, metrics::kRequestDuration, "", matchers(), kWindow), legend});
  }
  dashboard.add_line({
      {.title = "Requests",
       .unit = "reqps",
       .queries = {{requests(matchers(), metrics::kStatusLabel),
                    legend_of({metrics::kStatusLabel})}}},
      {.title = "Responses with 5xx",
       .unit = "percentunit",
       .queries = {{promql::error_ratio("", {chosen_job()}, kWindow), "5xx"}}},
      {.title = "Duration", .unit = "s", .queries = std::move(percentiles)},
      {.title = "Rejected requests",
       .unit = "reqps",
       .queries = {{total(metrics::kRejectedRequests, "cause"), legend_of({"cause"})}}},
  });
  dashboard.add_line({
      {.title = "Threads and requests",
       .unit = "short",
       .queries = {{current(metrics::kWorkers), "threads"},
                   {current(metrics::kBusyWorkers), "busy threads"},
                   {current(metrics::kActiveRequests), "requests in progress"},
                   {current(metrics::kConnections), "connections"}}},
      {.title = "Wait for a thread",
       .unit = "s",
       .queries = {{promql::quantile("0.99", metrics::kQueueDuration, "", matchers(), kWindow),
                    "99 %"}}},
      {.title = "Processor time",
       .unit = "short",
       .queries = {{total(metrics::kProcessorTime, "instance"), legend_of({"instance"})}},
       .description = "Seconds per second: processors in use."},
      {.title = "Memory",
       .unit = "bytes",
       .queries = {{current(metrics::kResidentMemory, "instance"), legend_of({"instance"})}}},
  });
}

void add_objectives(const std::vector<const model::Route*>& routes, Dashboard& dashboard) {
  std::vector<Chart> charts;
  for (const model::Route* const route : routes) {
    const std::string name = route->request_method() + ' ' + route->path;
    const RouteGroup group{route->request_method(), {route->path}};
    if (const auto& availability = route->objective.availability) {
      const double budget = (100 - *availability) / 100;
      charts.push_back({.title = fmt::format("{}: {:.10g} % available", name, *availability),
                        .unit = "percentunit",
                        .queries = {{promql::error_ratio("", group.matchers(), kWindow), "5xx"}},
                        .limit = budget});
    }
    if (const auto& p99 = route->objective.p99) {
      charts.push_back({.title = fmt::format("{}: 99 % within {} ms", name, *p99),
                        .unit = "s",
                        .queries = {{promql::quantile("0.99", metrics::kRequestDuration, "",
                                                      promql::selector(group.matchers()), kWindow),
                                     "99 %"}},
                        .limit = static_cast<double>(*p99) / 1'000});
    }
  }
  if (!charts.empty()) dashboard.add_row("Objectives", charts, true);
}

void add_tag(const std::string& tag, const std::vector<const model::Route*>& routes,
             Dashboard& dashboard) {
  std::vector<RouteGroup> groups;
  for (const model::Route* const route : routes) {
    const std::string method = route->request_method();
    auto group = std::ranges::find(groups, method, &RouteGroup::method);
    if (group == groups.end()) group = groups.insert(group, {method, {}});
    group->paths.push_back(route->path);
  }
  const std::string labels = promql::route_labels();
  const std::string legend = legend_of({metrics::kMethodLabel, metrics::kRouteLabel});
  Chart rates{.title = "Requests", .unit = "reqps", .queries = {}};
  Chart errors{.title = "Responses with 5xx", .unit = "percentunit", .queries = {}};
  Chart durations{.title = "Duration, 99 %", .unit = "s", .queries = {}};
  for (const RouteGroup& group : groups) {
    const std::string all = promql::selector(group.matchers());
    rates.queries.push_back({requests(all, labels), legend});
    errors.queries.push_back({promql::error_ratio(labels, group.matchers(), kWindow), legend});
    durations.queries.push_back(
        {promql::quantile("0.99", metrics::kRequestDuration, labels, all, kWindow), legend});
  }
  dashboard.add_row(tag, {std::move(rates), std::move(errors), std::move(durations)}, false);
}

Chart chart_by_route(std::string title, std::string_view unit, std::string query) {
  return {.title = std::move(title),
          .unit = unit,
          .queries = {{std::move(query), legend_of({metrics::kRouteLabel})}}};
}

void add_push(bool has_streams, bool has_sockets, Dashboard& dashboard) {
  if (has_streams) {
    dashboard.add_row(
        "Streams of events",
        {chart_by_route("Open streams", "short",
                        current(metrics::kOpenStreams, metrics::kRouteLabel)),
         chart_by_route("Events", "cps", total(metrics::kStreamEvents, metrics::kRouteLabel)),
         chart_by_route("Dropped events", "cps",
                        total(metrics::kStreamEventsDropped, metrics::kRouteLabel))},
        false);
  }
  if (!has_sockets) return;
  const std::string labels = fmt::format("{}, direction", metrics::kRouteLabel);
  dashboard.add_row("Sockets",
                    {chart_by_route("Open sockets", "short",
                                    current(metrics::kOpenSockets, metrics::kRouteLabel)),
                     {.title = "Messages",
                      .unit = "cps",
                      .queries = {{total(metrics::kSocketMessages, labels),
                                   legend_of({metrics::kRouteLabel, "direction"})}}},
                     chart_by_route("Dropped messages", "cps",
                                    total(metrics::kSocketMessagesDropped, metrics::kRouteLabel))},
                    false);
}

void add_calls(Dashboard& dashboard) {
  constexpr std::string_view kServer = "server_address";
  const auto calls = [&](const std::vector<promql::Matcher>& more) {
    return promql::sum(kServer,
                       promql::rate(metrics::kCallDuration, "_count", matchers(more), kWindow));
  };
  dashboard.add_row(
      "Outbound calls",
      {{.title = "Calls", .unit = "reqps", .queries = {{calls({}), legend_of({kServer})}}},
       {.title = "Calls without a response",
        .unit = "reqps",
        .queries = {{calls({{"error_type", "!=", ""}}), legend_of({kServer})}}},
       {.title = "Duration, 99 %",
        .unit = "s",
        .queries = {{promql::quantile("0.99", metrics::kCallDuration, kServer, matchers(), kWindow),
                     legend_of({kServer})}}}},
      false);
}

void add_cache(Dashboard& dashboard) {
  dashboard.add_row(
      "Cache",
      {{.title = "Responses",
        .unit = "reqps",
        .queries = {{total(metrics::kCacheResponses, "result"), legend_of({"result"})}}}},
      false);
}

}  // namespace

Json dashboard(const model::Application& application, const DashboardOptions& options) {
  std::vector<const model::Route*> routes;
  std::map<std::string, std::vector<const model::Route*>> tags;
  std::vector<const model::Route*> untagged;
  for (const model::RouteFile& file : application.files) {
    for (const model::Route& route : file.routes) {
      routes.push_back(&route);
      for (const std::string& tag : route.docs.tags) tags[tag].push_back(&route);
      if (route.docs.tags.empty()) untagged.push_back(&route);
    }
  }
  const auto has = [&](auto is_wanted) { return std::ranges::any_of(routes, is_wanted); };
  Dashboard result;
  add_overview(result);
  add_objectives(routes, result);
  for (const auto& [tag, tagged] : tags) add_tag(tag, tagged, result);
  if (!untagged.empty()) add_tag("Routes without a tag", untagged, result);
  add_push(has([](const model::Route* route) { return route->streamed() != nullptr; }),
           has([](const model::Route* route) { return route->socket.has_value(); }), result);
  if (has([](const model::Route* route) { return is_cached(*route); })) add_cache(result);
  add_calls(result);
  return std::move(result).take(options);
}

}  // namespace fairway::emit
