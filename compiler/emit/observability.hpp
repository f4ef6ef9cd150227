// What `fairway observe` writes for those who operate an application: from its routes, and from the
// table of the framework's metrics (docs/metrics.md).
#pragma once

#include <string>

#include "model/application.hpp"

namespace fairway::emit {

// metric_catalogue.cpp

/// Whether responses of the route may come from the cache.
bool is_cached(const model::Route& route);

/// The metrics of the framework, and the routes that are values of their labels. Deterministic.
/// `fairway diff` reads it: diff/metric_list.hpp.
model::Json metric_catalogue(const model::Application& application);

// alert_rules.cpp

/// Whether a route declares an objective.
bool has_objectives(const model::Application& application);

/// The rules of Prometheus for the objectives of routes: a file for `rule_files`. `job` is the name
/// in `scrape_configs`. Without objectives, there are no groups.
model::Json alert_rules(const model::Application& application, const std::string& job);

// dashboard.cpp

struct DashboardOptions {
  std::string title;
  std::string job;  ///< that is shown at first; empty: the first one
};

/// A dashboard of Grafana: the application, its objectives, and a row for each tag.
model::Json dashboard(const model::Application& application, const DashboardOptions& options);

}  // namespace fairway::emit
