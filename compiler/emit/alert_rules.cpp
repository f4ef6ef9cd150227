#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "emit/observability.hpp"
#include "emit/promql.hpp"

namespace fairway::emit {
namespace {

using model::Json;
namespace metrics = fw::metrics;

/// A rate of errors that exhausts the budget of 30 days early, in a long window, and in a short
/// one, which ends the alert soon after the errors end: chapter 5 of "The Site Reliability
/// Workbook".
struct BurnRate {
  double factor;
  std::string_view long_window;
  std::string_view short_window;
};
constexpr std::array<BurnRate, 2> kPage = {{{14.4, "1h", "5m"}, {6, "6h", "30m"}}};
constexpr std::array<BurnRate, 2> kTicket = {{{3, "1d", "2h"}, {1, "3d", "6h"}}};
constexpr std::array<std::string_view, 7> kErrorWindows = {"5m", "30m", "1h", "2h",
                                                           "6h", "1d",  "3d"};
constexpr std::array<std::string_view, 2> kDurationWindows = {"5m", "1h"};

std::string error_ratio_name(std::string_view window) {
  return fmt::format("route:http_server_request_errors:ratio_rate{}", window);
}

std::string p99_name(std::string_view window) {
  return fmt::format("route:http_server_request_duration_seconds:p99_{}", window);
}

/// Digits that a person has written: without the error of a subtraction.
std::string digits(double value) { return fmt::format("{:.10g}", value); }

Json recorded(std::string name, std::string query) {
  return {{"record", std::move(name)}, {"expr", std::move(query)}};
}

class AlertRules {
 public:
  explicit AlertRules(const std::string& job) : job_(job) {}

  void add(const model::Route& route) {
    const model::Objective& objective = route.objective;
    if (objective.availability) add_availability(route, *objective.availability);
    if (objective.p99) add_p99(route, static_cast<double>(*objective.p99) / 1'000);
    has_availability_ = has_availability_ || objective.availability;
    has_p99_ = has_p99_ || objective.p99;
  }

  Json take() && {
    Json groups = Json::array();
    if (!alerts_.empty()) {
      groups.push_back({{"name", job_ + " routes"}, {"rules", records()}});
      add_general();
      groups.push_back({{"name", job_ + " objectives"}, {"rules", std::move(alerts_)}});
    }
    return {{"groups", std::move(groups)}};
  }

 private:
  std::string of_route(const model::Route& route) const {
    return promql::selector({{"job", "=", job_},
                             {metrics::kMethodLabel, "=", route.request_method()},
                             {metrics::kRouteLabel, "=", route.path}});
  }

  /// What several alerts use is computed once.
  Json records() const {
    const std::vector<promql::Matcher> routes = {{"job", "=", job_},
                                                 {metrics::kRouteLabel, "!=", ""}};
    const std::string labels = "job, " + promql::route_labels();
    Json rules = Json::array();
    if (has_availability_) {
      for (const std::string_view window : kErrorWindows) {
        rules.push_back(
            recorded(error_ratio_name(window), promql::error_ratio(labels, routes, window)));
      }
    }
    if (has_p99_) {
      for (const std::string_view window : kDurationWindows) {
        rules.push_back(
            recorded(p99_name(window), promql::quantile("0.99", metrics::kRequestDuration, labels,
                                                        promql::selector(routes), window)));
      }
    }
    return rules;
  }

  void add_alert(std::string_view name, std::string query, std::string_view wait,
                 std::string_view severity, std::string summary, std::string description) {
    Json rule = {{"alert", name}, {"expr", std::move(query)}};
    if (!wait.empty()) rule["for"] = wait;
    rule["labels"] = {{"severity", severity}};
    rule["annotations"] = {{"summary", std::move(summary)},
                           {"description", std::move(description)}};
    alerts_.push_back(std::move(rule));
  }

  void add_availability(const model::Route& route, double percent) {
    const double budget = (100 - percent) / 100;
    const std::string matchers = of_route(route);
    const auto query = [&](const std::array<BurnRate, 2>& rates) {
      std::string text;
      for (const BurnRate& rate : rates) {
        if (rate.factor * budget >= 1) continue;  // no share of errors is larger
        const std::string bound = digits(rate.factor) + " * " + digits(budget);
        text += fmt::format("{}({}{} > {}\n  and {}{} > {})", text.empty() ? "" : "\nor ",
                            error_ratio_name(rate.long_window), matchers, bound,
                            error_ratio_name(rate.short_window), matchers, bound);
      }
      return text;
    };
    const std::string description = fmt::format(
        "{{{{ $value | humanizePercentage }}}} of the requests got a 5xx; the objective of {} % "
        "allows {} %.",
        digits(percent), digits(100 - percent));
    const std::string summary = "{{ $labels.http_request_method }} {{ $labels.http_route }} ";
    add_alert("RouteErrorsFast", query(kPage), "", "page", summary + "fails for many requests",
              description);
    add_alert("RouteErrorsSlow", query(kTicket), "", "ticket",
              summary + "fails more often than its objective allows", description);
  }

  void add_p99(const model::Route& route, double seconds) {
    const std::string matchers = of_route(route);
    add_alert("RouteSlow",
              fmt::format("{}{} > {}\nand {}{} > {}", p99_name("1h"), matchers, digits(seconds),
                          p99_name("5m"), matchers, digits(seconds)),
              "5m", "ticket",
              "{{ $labels.http_request_method }} {{ $labels.http_route }} is slower than its "
              "objective",
              fmt::format("The 99th percentile of the last hour is {{{{ $value | "
                          "humanizeDuration }}}}; the objective is {} ms.",
                          digits(seconds * 1'000)));
  }

  /// What the metrics of routes do not show: processes that do not respond, and requests that are
  /// rejected before their route is known.
  void add_general() {
    add_alert("ApplicationDown", "up" + promql::selector({{"job", "=", job_}}) + " == 0", "5m",
              "page", "{{ $labels.instance }} of {{ $labels.job }} does not respond",
              "Prometheus could not read its metrics for five minutes.");
    add_alert(
        "ApplicationOverloaded",
        promql::sum("job, instance",
                    promql::rate(metrics::kRejectedRequests, "",
                                 promql::selector({{"job", "=", job_}, {"cause", "=", "overload"}}),
                                 "5m")) +
            " > 0",
        "5m", "page", "{{ $labels.instance }} of {{ $labels.job }} rejects requests",
        "No thread, connection or memory is free for {{ $value | humanize }} requests per "
        "second, which get a 503. They do not count for the objectives of routes.");
  }

  const std::string job_;
  bool has_availability_ = false;
  bool has_p99_ = false;
  Json alerts_ = Json::array();
};

}  // namespace

bool has_objectives(const model::Application& application) {
  return std::ranges::any_of(application.files, [](const model::RouteFile& file) {
    return std::ranges::any_of(file.routes, [](const model::Route& route) {
      return route.objective.p99 || route.objective.availability;
    });
  });
}

Json alert_rules(const model::Application& application, const std::string& job) {
  AlertRules rules(job);
  for (const model::RouteFile& file : application.files) {
    for (const model::Route& route : file.routes) rules.add(route);
  }
  return std::move(rules).take();
}

}  // namespace fairway::emit
