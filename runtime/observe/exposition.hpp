// Writes metrics in the text formats of Prometheus and OpenMetrics (docs/metrics.md).
//
//   Exposition text(Exposition::Format::prometheus);
//   text.begin("http_server_active_requests", Exposition::Kind::gauge, "Requests in progress.");
//   text.sample("", {}, 3);
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fw::detail {

/// Names and values of the labels of a series, in the order in which they are written.
using Labels = std::vector<std::pair<std::string, std::string>>;

/// The upper bounds of buckets for durations that OpenTelemetry recommends, in seconds.
inline constexpr std::array kDurationBounds = {0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25,
                                               0.5,   0.75, 1.0,   2.5,  5.0,   7.5, 10.0};

class Exposition {
 public:
  enum class Format : std::uint8_t { prometheus, openmetrics };
  enum class Kind : std::uint8_t { counter, gauge, histogram };

  explicit Exposition(Format format) : format_(format) {}

  /// The format for a client that sends this field of Accept.
  static Format negotiate(std::string_view accept);
  static std::string_view content_type(Format format);

  /// Begins a metric, whose series follow. The name of a counter has no suffix.
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
