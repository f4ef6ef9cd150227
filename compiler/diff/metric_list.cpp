#include "diff/metric_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "diff/schema.hpp"
#include "metrics/metric_table.hpp"

namespace fairway::diff {
namespace {

constexpr int kListVersion = 1;

bool is_metric_name(std::string_view name) {
  const auto begins_name = [](char c) { return fw::base::is_letter(c) || c == '_' || c == ':'; };
  return !name.empty() && begins_name(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return begins_name(c) || fw::base::is_digit(c); });
}

class MetricListReader {
 public:
  explicit MetricListReader(const Document& document) : document_(document) {}

  MetricList read() {
    const Node version = required(document_.root(), "version");
    if (*version.value != kListVersion) {
      document_.fail(version,
                     fmt::format("is {}: this fairway reads lists of metrics of version {}",
                                 value_text(*version.value), kListVersion));
    }
    for_each_item(document_.root(), "metrics", [&](const Node& node) { read_metric(node); });
    for_each_item(document_.root(), "routes", [&](const Node& node) { read_route(node); });
    return std::move(list_);
  }

 private:
  Node required(const Node& parent, std::string_view name) const {
    if (!parent.value->is_object()) document_.fail(parent, "must be an object");
    const Node node = parent.member(name);
    if (!node) document_.fail(parent, fmt::format("'{}' is missing", name));
    return node;
  }

  template <typename Function>
  void for_each_item(const Node& parent, std::string_view name, Function function) const {
    required(parent, name);
    const Node items = document_.array(parent, name);
    for (std::size_t i = 0; i < items.value->size(); ++i) function(items.item(i));
  }

  /// A string that a report can show.
  std::string text(const Node& node) const {
    if (!node.value->is_string()) document_.fail(node, "must be a string");
    const auto& value = node.value->get_ref<const std::string&>();
    if (value.empty() || std::ranges::any_of(value, fw::base::is_control)) {
      document_.fail(node, "must not be empty or contain control characters");
    }
    return value;
  }

  std::string name(const Node& node) const {
    std::string found = text(node);
    if (!is_metric_name(found)) {
      document_.fail(node, fmt::format("{} must consist of letters, digits, '_' and ':', and must "
                                       "not begin with a digit",
                                       value_text(*node.value)));
    }
    return found;
  }

  NamedNodes names(const Node& parent, std::string_view member) const {
    NamedNodes found;
    for_each_item(parent, member, [&](const Node& item) { found.emplace(name(item), item); });
    return found;
  }

  void check_optional_text(const Node& parent, std::string_view member) const {
    if (const Node node = parent.member(member)) text(node);
  }

  std::map<double, Node> buckets(const Node& metric) const {
    std::map<double, Node> found;
    for_each_item(metric, "buckets", [&](const Node& item) {
      if (!item.value->is_number()) document_.fail(item, "must be a number");
      found.emplace(item.value->get<double>(), item);
    });
    return found;
  }

  void read_metric(const Node& node) {
    const Node name_node = required(node, "name");
    const std::string metric_name = name(name_node);
    ListedMetric metric{.node = node,
                        .type = text(required(node, "type")),
                        .labels = names(node, "labels"),
                        .series = names(node, "series"),
                        .buckets = {}};
    check_optional_text(node, "help");
    check_optional_text(node, "needs");
    if (metric.type == fw::metrics::name_of(fw::metrics::MetricType::histogram)) {
      metric.buckets = buckets(node);
    }
    if (!list_.metrics.emplace(metric_name, std::move(metric)).second) {
      document_.fail(name_node, fmt::format("'{}' is the name of two metrics", metric_name));
    }
  }

  Node objective(const Node& route) const {
    const Node node = document_.object(route, "objective");
    for (const char* member : {"p99", "availability"}) {
      const Node limit = node.member(member);
      if (limit && !limit.value->is_number()) document_.fail(limit, "must be a number");
    }
    return node;
  }

  void read_route(const Node& node) {
    ListedRoute route{.method = text(required(node, fw::metrics::kMethodLabel)),
                      .path = text(required(node, fw::metrics::kRouteLabel)),
                      .node = node,
                      .metrics = names(node, "metrics"),
                      .objective = objective(node)};
    for (const auto& [metric, item] : route.metrics) {
      if (!list_.metrics.contains(metric)) {
        document_.fail(item, fmt::format("there is no metric '{}' in the list", metric));
      }
    }
    check_optional_text(node, "operationId");
    if (node.member("tags")) {
      for_each_item(node, "tags", [&](const Node& tag) { text(tag); });
    }
    // A socket and a route of GET may have the same path, and then share series.
    const auto [known, is_new] =
        list_.routes.try_emplace(std::pair(route.path, route.method), route);
    if (is_new) return;
    known->second.metrics.merge(route.metrics);
    if (!known->second.objective) known->second.objective = route.objective;
  }

  const Document& document_;
  MetricList list_;
};

}  // namespace

bool is_metric_list(const Json& root) {
  return root.is_object() && root.contains("metrics") && !root.contains("openapi");
}

MetricList read_metric_list(const Document& document) { return MetricListReader(document).read(); }

}  // namespace fairway::diff
