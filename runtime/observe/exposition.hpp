// Collects metrics, and writes them in the text formats of Prometheus and OpenMetrics
// (docs/metrics.md).
//
//   Exposition text(Exposition::Format::prometheus);
//   text.begin(metrics::kActiveRequests);
//   text.sample({}, 3);
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metrics/metric_table.hpp"

namespace fw::detail {

/// Names and values of the labels of a series, in the order in which they are written.
using Labels = std::vector<std::pair<std::string, std::string>>;

using metrics::kDurationBounds;

/// A request that a bucket of a histogram has counted, and whose trace is sent.
struct Exemplar {
  std::string trace;  ///< its id
  double value = 0;
  double time = 0;  ///< seconds since 1970
};

/// A metric and the values of its series.
struct MetricFigures {
  struct Series {
    Labels labels;
    double value = 0;                        ///< of a histogram, the sum
    std::vector<std::uint64_t> counts = {};  ///< of a histogram; not cumulative
    /// Of a histogram: none, or one for each count.
    std::vector<std::optional<Exemplar>> exemplars = {};
  };

  std::string name;  ///< of a counter, without `_total`
  metrics::MetricType type = metrics::MetricType::gauge;
  std::string help;
  std::vector<double> bounds = {};  ///< of a histogram
  std::vector<Series> series = {};
};

class Exposition {
 public:
  enum class Format : std::uint8_t { prometheus, openmetrics };

  explicit Exposition(Format format) : format_(format) {}

  /// The format for a client that sends this field of Accept.
  static Format negotiate(std::string_view accept);
  static std::string_view content_type(Format format);

  /// Begins a metric, whose series follow.
  void begin(const metrics::Metric& metric) { begin(metric.name, metric.type, metric.help); }
  /// The same for a metric of the application. The name of a counter has no suffix.
  void begin(std::string_view name, metrics::MetricType type, std::string_view help);
  /// A series of the metric.
  void sample(const Labels& labels, double value);
  /// The series of a histogram. `counts` has one more element than `bounds`: the values above the
  /// last bound; they are not cumulative. `exemplars` is empty, or has one for each count.
  void histogram(const Labels& labels, std::span<const double> bounds,
                 std::span<const std::uint64_t> counts, double sum,
                 std::vector<std::optional<Exemplar>> exemplars = {});
  /// A whole metric.
  void add(const MetricFigures& figures);

  /// The whole text. Nothing may be added afterwards.
  std::string finish();
  /// What was added instead of a text, for other processes. Nothing may be added afterwards.
  std::vector<MetricFigures> take() { return std::move(figures_); }

 private:
  const Format format_;
  std::vector<MetricFigures> figures_;
};

}  // namespace fw::detail
