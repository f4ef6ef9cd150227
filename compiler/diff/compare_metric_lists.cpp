#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "diff/comparisons.hpp"
#include "diff/metric_list.hpp"
#include "metrics/metric_table.hpp"

namespace fairway::diff {
namespace {

constexpr std::array<TextMember, 1> kHelp = {{{"help", "metric-help-changed"}}};

/// What a metric or a route has several of.
struct Part {
  std::string_view noun;
  std::string_view removed;
  std::string_view added;
};

constexpr Part kLabels = {"label", "metric-label-removed", "metric-label-added"};
constexpr Part kSeries = {"series", "metric-series-removed", "metric-series-added"};

/// A limit of an objective.
struct ObjectiveLimit {
  std::string_view member;
  std::string_view unit;
  bool is_stricter_if_larger;
};

constexpr std::array<ObjectiveLimit, 2> kLimits = {
    {{"p99", "ms", false}, {"availability", "%", true}}};

/// The name without what the type and the unit add to it.
std::string_view stem(std::string_view name) {
  constexpr std::array<std::string_view, 13> kUnits = {
      "_seconds", "_milliseconds", "_microseconds", "_nanoseconds", "_minutes", "_hours",  "_days",
      "_bytes",   "_kilobytes",    "_megabytes",    "_bits",        "_ratio",   "_percent"};
  if (name.ends_with("_total")) name.remove_suffix(std::string_view("_total").size());
  for (const std::string_view unit : kUnits) {
    if (name.ends_with(unit)) return name.substr(0, name.size() - unit.size());
  }
  return name;
}

void compare_names(const NamedNodes& before, const NamedNodes& after, const Part& part,
                   Recorder& recorder) {
  const auto location = [&](const std::string& name) {
    return Location{fmt::format("{} '{}'", part.noun, name), ""};
  };
  NamedNodes removed;
  NamedNodes added;
  const auto by_name = [](const auto& one, const auto& other) { return one.first < other.first; };
  std::ranges::set_difference(before, after, std::inserter(removed, removed.end()), by_name);
  std::ranges::set_difference(after, before, std::inserter(added, added.end()), by_name);
  const bool is_renamed = removed.size() == 1 && added.size() == 1;
  for (const auto& [name, node] : removed) {
    recorder.add(part.removed, location(name), node, {},
                 is_renamed ? fmt::format("the {} was removed; '{}' was added", part.noun,
                                          added.begin()->first)
                            : fmt::format("the {} was removed", part.noun));
  }
  for (const auto& [name, node] : added) {
    recorder.add(part.added, location(name), {}, node, fmt::format("the {} was added", part.noun));
  }
}

void compare_buckets(const ListedMetric& before, const ListedMetric& after, Recorder& recorder) {
  const auto location = [](const Node& node) {
    return Location{"bucket " + value_text(*node.value), ""};
  };
  for (const auto& [bound, node] : before.buckets) {
    if (after.buckets.contains(bound)) continue;
    recorder.add("metric-bucket-removed", location(node), node, {}, "the bucket was removed");
  }
  for (const auto& [bound, node] : after.buckets) {
    if (before.buckets.contains(bound)) continue;
    recorder.add("metric-bucket-added", location(node), {}, node, "the bucket was added");
  }
}

void compare_needs(const Node& before, const Node& after, Recorder& recorder) {
  const Node old_needs = before.member("needs");
  const Node new_needs = after.member("needs");
  if (!new_needs) {
    if (!old_needs) return;
    recorder.add("metric-needs-removed", {}, old_needs, after,
                 fmt::format("needs {} was removed", value_text(*old_needs.value)));
    return;
  }
  if (old_needs && *old_needs.value == *new_needs.value) return;
  recorder.add("metric-needs-changed", {}, old_needs, new_needs,
               old_needs ? fmt::format("needs {} became {}", value_text(*old_needs.value),
                                       value_text(*new_needs.value))
                         : fmt::format("needs {} was added", value_text(*new_needs.value)));
}

void compare_metric(const ListedMetric& before, const ListedMetric& after, Recorder& recorder) {
  compare_names(before.labels, after.labels, kLabels, recorder);
  if (before.type == after.type) {
    compare_names(before.series, after.series, kSeries, recorder);
    compare_buckets(before, after, recorder);
  } else {
    recorder.add("metric-type-changed", {}, before.node.member("type"), after.node.member("type"),
                 fmt::format("type '{}' became '{}'", before.type, after.type));
  }
  compare_needs(before.node, after.node, recorder);
  compare_text_members(kHelp, before.node, after.node, {}, recorder);
}

void compare_metrics(const MetricList& before, const MetricList& after, Changes& changes) {
  std::map<std::string_view, std::string_view> added;  // by stem
  for (const auto& [name, metric] : after.metrics) {
    Recorder recorder = Recorder::of_metric(changes, name);
    if (const auto old = before.metrics.find(name); old != before.metrics.end()) {
      compare_metric(old->second, metric, recorder);
    } else {
      added.emplace(stem(name), name);
      recorder.add("metric-added", {}, {}, metric.node,
                   fmt::format("the {} was added", metric.type));
    }
  }
  for (const auto& [name, metric] : before.metrics) {
    if (after.metrics.contains(name)) continue;
    const auto similar = added.find(stem(name));
    Recorder::of_metric(changes, name)
        .add(
            "metric-removed", {}, metric.node, {},
            fmt::format("the {} was removed{}", metric.type,
                        similar == added.end() ? std::string()
                                               : fmt::format("; '{}' was added", similar->second)));
  }
}

void compare_objectives(const Node& before, const Node& after, Recorder& recorder) {
  for (const ObjectiveLimit& limit : kLimits) {
    const Node old_limit = before.member(limit.member);
    const Node new_limit = after.member(limit.member);
    const Location location{"objective", std::string(limit.member)};
    const auto text = [&](const Node& node) {
      return fmt::format("{} {}", value_text(*node.value), limit.unit);
    };
    if (old_limit && new_limit) {
      const double was = old_limit.value->get<double>();
      const double is = new_limit.value->get<double>();
      if (was == is) continue;
      const bool is_stricter = (is > was) == limit.is_stricter_if_larger;
      recorder.add(is_stricter ? "objective-tightened" : "objective-loosened", location, old_limit,
                   new_limit, fmt::format("{} became {}", text(old_limit), text(new_limit)));
    } else if (old_limit) {
      recorder.add("objective-removed", location, old_limit, {},
                   fmt::format("{} was removed", text(old_limit)));
    } else if (new_limit) {
      recorder.add("objective-added", location, {}, new_limit,
                   fmt::format("{} was added", text(new_limit)));
    }
  }
}

/// Whether both lists have the metric with the label of routes. A metric that was added or removed,
/// or got or lost the label, is reported once, not for each route.
bool has_routes_in_both(const MetricList& before, const MetricList& after, std::string_view name) {
  const auto has_routes = [&](const MetricList& list) {
    const auto metric = list.metrics.find(name);
    return metric != list.metrics.end() && metric->second.labels.contains(fw::metrics::kRouteLabel);
  };
  return has_routes(before) && has_routes(after);
}

class RouteComparison {
 public:
  RouteComparison(const MetricList& before, const MetricList& after, Changes& changes)
      : before_(before), after_(after), changes_(changes) {}

  void run() {
    std::map<std::string, const ListedRoute*> by_id;
    for (const auto& [key, route] : after_.routes) {
      by_id.emplace(operation_id(route.node), &route);
      Recorder recorder(changes_, route.method, route.path);
      if (const auto old = before_.routes.find(key); old != before_.routes.end()) {
        compare(old->second, route, recorder);
      } else {
        recorder.add("route-added", {}, {}, route.node, "the route was added");
      }
    }
    for (const auto& [key, route] : before_.routes) {
      if (after_.routes.contains(key)) continue;
      const std::string id = operation_id(route.node);
      const auto other = id.empty() ? by_id.end() : by_id.find(id);
      Recorder(changes_, route.method, route.path)
          .add(
              "route-removed", {}, route.node, {},
              other == by_id.end()
                  ? "the route was removed"
                  : fmt::format("the route was removed; the operation id '{}' now belongs to {} {}",
                                id, other->second->method, other->second->path));
    }
  }

 private:
  void compare(const ListedRoute& before, const ListedRoute& after, Recorder& recorder) const {
    const auto location = [](const std::string& metric) {
      return Location{fmt::format("metric '{}'", metric), ""};
    };
    for (const auto& [metric, node] : before.metrics) {
      if (after.metrics.contains(metric) || !has_routes_in_both(before_, after_, metric)) continue;
      recorder.add("route-series-removed", location(metric), node, {},
                   "the metric has no series of the route any more");
    }
    for (const auto& [metric, node] : after.metrics) {
      if (before.metrics.contains(metric) || !has_routes_in_both(before_, after_, metric)) continue;
      recorder.add("route-series-added", location(metric), {}, node,
                   "the metric got series of the route");
    }
    compare_objectives(before.objective, after.objective, recorder);
    compare_operation_ids(before.node, after.node, recorder);
    compare_operation_tags(before.node, after.node, recorder);
  }

  const MetricList& before_;
  const MetricList& after_;
  Changes& changes_;
};

}  // namespace

void compare_metric_lists(const Documents& documents, Changes& changes) {
  const MetricList before = read_metric_list(documents.before);
  const MetricList after = read_metric_list(documents.after);
  compare_metrics(before, after, changes);
  RouteComparison(before, after, changes).run();
}

}  // namespace fairway::diff
