// Access to private parts of public classes, for the framework and its tests:
//
//   detail::Access::core(app).pipeline().handle(transaction);
#pragma once

#include <fairway/app.hpp>
#include <fairway/health.hpp>
#include <fairway/metrics.hpp>
#include <fairway/router.hpp>

#include <utility>
#include <vector>

namespace fw::detail {

struct Access {
  static AppCore& core(App& app) { return *app.core_; }
  static HealthChecks& checks(Health& health) { return *health.checks_; }
  static TopicRelay& relay(Topics& topics) { return *topics.relay_; }
  static const MetricFamilies& families(Metrics& metrics) { return *metrics.families_; }

  /// The registered routes. Later registrations throw std::logic_error.
  static std::vector<RouteRecord> end_registration(Router& router) {
    router.open_ = false;
    return std::exchange(router.records_, {});
  }
};

}  // namespace fw::detail
