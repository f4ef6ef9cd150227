#include <algorithm>
#include <string_view>

#include "emit/observability.hpp"
#include "metrics/metric_table.hpp"

namespace fairway::emit {
namespace {

using fw::metrics::Metric;
using model::Json;

Json series_of(const Metric& metric) {
  const std::string name = metric.series();
  if (metric.type != fw::metrics::MetricType::histogram) return Json::array({name});
  return Json::array({name + "_bucket", name + "_sum", name + "_count"});
}

Json metric_json(const Metric& metric) {
  Json json;
  json["name"] = metric.series();
  json["type"] = fw::metrics::name_of(metric.type);
  json["help"] = metric.help;
  if (!metric.needs.empty()) json["needs"] = metric.needs;
  json["labels"] = Json::array();
  for (const std::string_view label : metric.labels) {
    if (!label.empty()) json["labels"].push_back(label);
  }
  json["series"] = series_of(metric);
  if (metric.type == fw::metrics::MetricType::histogram) {
    json["buckets"] = fw::metrics::kDurationBounds;
  }
  return json;
}

bool has_route_label(const Metric& metric) {
  return std::ranges::find(metric.labels, fw::metrics::kRouteLabel) != metric.labels.end();
}

/// The metrics that have series of the route, as far as its declaration shows.
Json metrics_of(const model::Route& route) {
  Json names = Json::array();
  for (const Metric& metric : fw::metrics::all()) {
    if (!has_route_label(metric)) continue;
    const std::string_view needs = metric.needs;
    const bool has = needs.empty() ||
                     (needs == fw::metrics::kCacheResponses.needs && is_cached(route)) ||
                     (needs == fw::metrics::kOpenStreams.needs && route.streamed() != nullptr) ||
                     (needs == fw::metrics::kOpenSockets.needs && route.socket.has_value());
    if (has) names.push_back(metric.series());
  }
  return names;
}

Json measured_route(const model::Route& route) {
  Json json;
  json[std::string(fw::metrics::kMethodLabel)] = route.request_method();
  json[std::string(fw::metrics::kRouteLabel)] = route.path;
  json["operationId"] = route.operation_id;
  json["tags"] = route.docs.tags;
  json["metrics"] = metrics_of(route);
  if (const auto objective = route.options.find("objective"); objective != route.options.end()) {
    json["objective"] = *objective;
  }
  return json;
}

}  // namespace

bool is_cached(const model::Route& route) {
  const auto cache = route.options.find("cache");
  return cache != route.options.end() && *cache != false;
}

Json metric_catalogue(const model::Application& application) {
  Json catalogue;
  catalogue["version"] = 1;
  catalogue["metrics"] = Json::array();
  for (const Metric& metric : fw::metrics::all()) {
    catalogue["metrics"].push_back(metric_json(metric));
  }
  catalogue["routes"] = Json::array();
  for (const model::RouteFile& file : application.files) {
    for (const model::Route& route : file.routes) {
      catalogue["routes"].push_back(measured_route(route));
    }
  }
  return catalogue;
}

}  // namespace fairway::emit
