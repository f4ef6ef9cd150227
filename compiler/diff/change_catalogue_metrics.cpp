#include "diff/change_catalogue.hpp"

namespace fairway::diff {
namespace {

using enum Level;

constexpr std::string_view kConnections =
    R"([{"name": "fairway_connections", "type": "gauge", "labels": [], "series": ["fairway_connections"]}])";
constexpr std::string_view kOnlyDuration =
    R"({"metrics": ["http_server_request_duration_seconds"]})";
constexpr std::string_view kDurationAndCache =
    R"({"metrics": ["http_server_request_duration_seconds", "fairway_cache_responses_total"]})";
constexpr std::string_view kGetOrders =
    R"([{"http_request_method": "GET", "http_route": "/orders/:id", "metrics": []}])";

std::vector<ChangeKind> metrics() {
  constexpr auto kMetrics = ExampleSlot::metrics;
  constexpr auto kMetric = ExampleSlot::metric;
  return {
      {"metric-removed", breaking, "a metric was removed",
       "Dashboards show nothing, and alerts do not fire. A metric with another name, and so with "
       "another unit, is another metric. If one was added whose name differs in the unit or in "
       "'_total' only, the message names it.",
       kMetrics, kConnections, "[]"},
      {"metric-added", non_breaking, "a metric was added", "No query uses it yet.", kMetrics, "[]",
       kConnections},
      {"metric-type-changed", breaking, "the type of a metric changed",
       "A counter needs 'rate', a gauge must not have it, and a histogram has other series.",
       kMetric, "{}", R"({"type": "gauge"})"},
      {"metric-label-removed", breaking, "a label of a metric was removed",
       "Queries that select or group by it find nothing, or one group. If it is the only label "
       "that was removed, and one was added, the message names that label.",
       kMetric, "{}", R"({"labels": ["http_route"]})"},
      {"metric-label-added", non_breaking, "a label of a metric was added",
       "Queries that name the labels by which they sum have the same results.", kMetric, "{}",
       R"({"labels": ["http_request_method", "http_route", "network_protocol_version"]})"},
      {"metric-bucket-removed", breaking, "a bucket of a histogram was removed",
       "Queries with its bound in 'le' find nothing, and percentiles are less exact.", kMetric,
       "{}", R"({"buckets": [1]})"},
      {"metric-bucket-added", non_breaking, "a bucket of a histogram was added",
       "Percentiles are more exact.", kMetric, "{}", R"({"buckets": [0.1, 0.5, 1]})"},
      {"metric-series-removed", breaking, "a series of a metric was removed",
       "The name of the series is what queries use: of a histogram, with '_bucket', '_sum' or "
       "'_count'. If the type changed, this is not reported.",
       kMetric, "{}",
       R"({"series": ["http_server_request_duration_seconds_bucket", "http_server_request_duration_seconds_count"]})"},
      {"metric-series-added", non_breaking, "a series of a metric was added",
       "No query uses it yet.", kMetric,
       R"({"series": ["http_server_request_duration_seconds_bucket", "http_server_request_duration_seconds_count"]})",
       "{}"},
      {"metric-needs-changed", breaking, "a metric needs something else, or more than before",
       "An application that does not have what it needs loses the metric.", kMetric, "{}",
       R"({"needs": "the engine 'epoll'"})"},
      {"metric-needs-removed", non_breaking, "a metric no longer needs something",
       "Every application with an admin listener has it.", kMetric,
       R"({"needs": "the engine 'epoll'"})", "{}"},
      {"metric-help-changed", documentation, "the description of a metric changed",
       "It has no effect on series. Review it nevertheless: it says what is counted.", kMetric,
       "{}", R"({"help": "Duration of requests, except for static files."})"},
  };
}

std::vector<ChangeKind> routes() {
  constexpr auto kRoutes = ExampleSlot::routes;
  constexpr auto kRoute = ExampleSlot::route;
  return {
      {"route-removed", breaking, "a route was removed from the labels of metrics",
       "Queries that select it find nothing, and its alerts never fire. The label is the path as "
       "it is registered: to rename a path parameter is to remove a route and to add one. If the "
       "operation id is used elsewhere, the message names that route.",
       kRoutes, kGetOrders, "[]"},
      {"route-added", non_breaking, "a route was added to the labels of metrics",
       "Queries that group by route show it.", kRoutes, "[]", kGetOrders},
      {"route-series-removed", breaking, "a metric lost its series of a route",
       "The route is no longer cached, no stream, or no socket. If the metric itself or its label "
       "was removed, that is reported instead.",
       kRoute, kDurationAndCache, kOnlyDuration},
      {"route-series-added", non_breaking, "a metric got series of a route",
       "Queries that group by route show them.", kRoute, kOnlyDuration, kDurationAndCache},
      {"objective-removed", breaking, "a limit of an objective was removed",
       "'fairway observe' writes no alerts for it: what they reported is reported no longer.",
       kRoute, R"({"objective": {"p99": 200}})", "{}"},
      {"objective-added", non_breaking, "a limit was added to an objective",
       "Alerts are added; the other ones remain.", kRoute, "{}", R"({"objective": {"p99": 200}})"},
      {"objective-loosened", breaking, "an objective became less strict",
       "Alerts fire later, or not at all, for the same requests.", kRoute,
       R"({"objective": {"p99": 200}})", R"({"objective": {"p99": 500}})"},
      {"objective-tightened", non_breaking, "an objective became stricter",
       "What was reported is still reported. New alerts can fire for the same requests.", kRoute,
       R"({"objective": {"availability": 99}})", R"({"objective": {"availability": 99.9}})"},
  };
}

}  // namespace

std::vector<ChangeKind> metric_changes() {
  auto all = metrics();
  for (ChangeKind& kind : routes()) all.push_back(std::move(kind));
  return all;
}

}  // namespace fairway::diff
