// Metrics of the application: `app.metrics()` (docs/metrics.md).
//
//   const fw::Counter orders = app.metrics().counter("orders_placed", {"channel"});
//   orders.add({"web"});
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fw {

namespace detail {
class MetricFamily;
class MetricFamilies;
struct Access;
}  // namespace detail

/// The values of the labels of a series, in the order in which the metric declares them.
using LabelValues = std::initializer_list<std::string_view>;

/// A number that only grows. Valid as long as the application. Thread-safe.
class Counter {
 public:
  /// @{
  /// Adds to the series with these values of the metric's labels. A value that is negative or no
  /// number is ignored. Throws std::invalid_argument for another number of labels.
  void add(LabelValues labels, double value = 1) const;
  void add(double value = 1) const { add({}, value); }
  /// @}

 private:
  friend class Metrics;
  explicit Counter(detail::MetricFamily* family) : family_(family) {}
  detail::MetricFamily* family_;  ///< null: nothing is measured
};

/// A number that grows and shrinks. Valid as long as the application. Thread-safe.
class Gauge {
 public:
  /// @{
  /// Sets or changes the series with these values of the metric's labels. Throws
  /// std::invalid_argument for another number of labels.
  void set(LabelValues labels, double value) const;
  void set(double value) const { set({}, value); }
  void add(LabelValues labels, double value) const;
  void add(double value) const { add({}, value); }
  /// @}

 private:
  friend class Metrics;
  explicit Gauge(detail::MetricFamily* family) : family_(family) {}
  detail::MetricFamily* family_;  ///< null: nothing is measured
};

/// A distribution of values, such as durations in seconds. Valid as long as the application.
/// Thread-safe.
class Histogram {
 public:
  /// @{
  /// Counts a value in the series with these values of the metric's labels. A value that is no
  /// number is ignored. Throws std::invalid_argument for another number of labels.
  void observe(LabelValues labels, double value) const;
  void observe(double value) const { observe({}, value); }
  /// @}

 private:
  friend class Metrics;
  explicit Histogram(detail::MetricFamily* family) : family_(family) {}
  detail::MetricFamily* family_;  ///< null: nothing is measured
};

/// How a metric is described.
struct MetricOptions {
  std::string help = {};  ///< a sentence about it, for those who read `/metrics`
  /// Upper bounds of a histogram's buckets, ascending. Empty: the bounds of the framework's
  /// histograms, from 5 ms to 10 s.
  std::vector<double> buckets = {};
};

/// `app.metrics()`: what the application measures itself. `/metrics` of the admin listener shows
/// it; without an admin listener, nothing is measured. Thread-safe.
///
/// Each function returns the metric of that name, and adds it on the first call. A name has
/// letters, digits and `_`, and does not begin with a digit, or with `http_`, `process_` or
/// `fairway_`, which are the framework's; the same goes for the names of labels, except for these
/// prefixes. Throws std::invalid_argument for other names and for invalid buckets, and
/// std::logic_error for a name that another kind of metric, or one with other labels or buckets,
/// has.
///
/// A metric has at most 1,000 series. Further values of labels share one series with the label
/// `otel_metric_overflow="true"`, so that labels whose values clients choose cannot exhaust memory.
class Metrics {
 public:
  /// `app.metrics()` has the metrics of the application.
  explicit Metrics(bool is_enabled);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// A counter. Its series are named `<name>_total`.
  Counter counter(std::string_view name, std::vector<std::string> labels = {},
                  MetricOptions options = {});
  Gauge gauge(std::string_view name, std::vector<std::string> labels = {},
              MetricOptions options = {});  ///< a gauge
  Histogram histogram(std::string_view name, std::vector<std::string> labels = {},
                      MetricOptions options = {});  ///< a histogram

 private:
  friend struct detail::Access;
  std::unique_ptr<detail::MetricFamilies> families_;
  bool is_enabled_;
};

}  // namespace fw
