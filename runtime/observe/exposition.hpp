// Writes metrics in the text formats of Prometheus and OpenMetrics (docs/metrics.md).
//
//   Exposition text(Exposition::Format::prometheus);
//   text.begin(metrics::kActiveRequests);
//   text.sample("", {}, 3);
#pragma once

#include <cstdint>
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

class Exposition {
 public:
  enum class Format : std::uint8_t { prometheus, openmetrics };
  using Kind = metrics::Kind;

  explicit Exposition(Format format) : format_(format) {}

  /// The format for a client that sends this field of Accept.
  static Format negotiate(std::string_view accept);
  static std::string_view content_type(Format format);

  /// Begins a metric, whose series follow.
  void begin(const metrics::Metric& metric) { begin(metric.name, metric.kind, metric.help); }
  /// The same for a metric of the application. The name of a counter has no suffix.
  void begin(std::string_view name, Kind kind, std::string_view help);
  /// A series of the metric.
  void sample(const Labels& labels, double value);
  /// The series of a histogram. `counts` has one more element than `bounds`: the values above the
  /// last bound; they are not cumulative.
  void histogram(const Labels& labels, std::span<const double> bounds,
                 std::span<const std::uint64_t> counts, double sum);

  /// The whole text. Nothing may be added afterwards.
  std::string finish();

 private:
  void line(std::string_view suffix, const Labels& labels, std::string_view bound, double value);

  const Format format_;
  Kind kind_ = Kind::gauge;
  std::string name_;
  std::string text_;
};

}  // namespace fw::detail
