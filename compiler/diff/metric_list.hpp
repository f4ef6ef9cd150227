// The output of `fairway observe metrics`: the metrics of an application, and the routes that are
// values of their labels. emit/metric_catalogue.cpp writes it.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "diff/document.hpp"

namespace fairway::diff {

using NamedNodes = std::map<std::string, Node, std::less<>>;

struct ListedMetric {
  Node node;
  std::string type;  ///< "counter"
  NamedNodes labels;
  NamedNodes series;               ///< "http_server_request_duration_seconds_bucket"
  std::map<double, Node> buckets;  ///< of a histogram: the upper bounds
};

struct ListedRoute {
  std::string method;
  std::string path;
  Node node;
  NamedNodes metrics;  ///< with series of the route
  Node objective;      ///< may be empty
};

struct MetricList {
  std::map<std::string, ListedMetric, std::less<>> metrics;           ///< by name
  std::map<std::pair<std::string, std::string>, ListedRoute> routes;  ///< by path and method
};

/// Whether the root of a file is meant as such a list.
bool is_metric_list(const Json& root);

/// Throws BadDocument for a list of another version, or an invalid one.
MetricList read_metric_list(const Document& document);

}  // namespace fairway::diff
