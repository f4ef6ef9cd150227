// Parts of queries in PromQL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric_table.hpp"

namespace fairway::emit::promql {

struct Matcher {
  std::string_view label;
  std::string_view comparison;  ///< "=", "!=", "=~"
  std::string value;
};

/// `{job="shop",http_route!=""}`
std::string selector(const std::vector<Matcher>& matchers);

/// The labels that tell routes apart: "http_request_method, http_route".
std::string route_labels();

/// A regular expression for exactly these strings, in the order given.
std::string one_of(const std::vector<std::string>& texts);

/// `rate(NAME_count{…}[5m])`. `suffix` is "_count" or "_bucket" for a histogram, otherwise empty.
std::string rate(const fw::metrics::Metric& metric, std::string_view suffix,
                 const std::string& matchers, std::string_view window);

/// `sum by (a, b) (…)`, or `sum(…)` without labels.
std::string sum(std::string_view labels, const std::string& query);

/// `histogram_quantile(0.99, sum by (…, le) (rate(…)))`
std::string quantile(std::string_view quantile, const fw::metrics::Metric& metric,
                     std::string_view labels, const std::string& matchers, std::string_view window);

/// The share of requests that got a 5xx, of those that `matchers` select; 0 without such a
/// response.
std::string error_ratio(std::string_view labels, std::vector<Matcher> matchers,
                        std::string_view window);

}  // namespace fairway::emit::promql
