#include "observe/exposition.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <optional>

namespace exposition_test {

using fw::detail::Exposition;

TEST_CASE(
    "exposition: a counter has its suffix on the series, and in Prometheus' format everywhere") {
  const auto write = [](Exposition::Format format) {
    Exposition text(format);
    text.begin("jobs", fw::metrics::MetricType::counter, "Jobs \"done\"\nso far.");
    text.sample({}, 3);
    return text.finish();
  };
  CHECK(write(Exposition::Format::prometheus) ==
        "# HELP jobs_total Jobs \"done\"\\nso far.\n# TYPE jobs_total counter\njobs_total 3\n");
  CHECK(write(Exposition::Format::openmetrics) ==
        "# HELP jobs Jobs \\\"done\\\"\\nso far.\n# TYPE jobs counter\njobs_total 3\n# EOF\n");
}

TEST_CASE("exposition: values of labels are escaped") {
  Exposition text(Exposition::Format::prometheus);
  text.begin("a", fw::metrics::MetricType::gauge, "");
  text.sample({{"x", "back\\slash \"quoted\"\nline"}, {"y", ""}}, -1.5);
  CHECK(text.finish() ==
        "# TYPE a gauge\na{x=\"back\\\\slash \\\"quoted\\\"\\nline\",y=\"\"} -1.5\n");
}

TEST_CASE("exposition: the buckets of a histogram are cumulative") {
  Exposition text(Exposition::Format::prometheus);
  text.begin("d", fw::metrics::MetricType::histogram, "");
  constexpr std::array<double, 2> kBounds = {0.5, 1};
  constexpr std::array<std::uint64_t, 3> kCounts = {2, 3, 4};
  text.histogram({{"r", "/"}}, kBounds, kCounts, 12.25);
  CHECK(text.finish() ==
        "# TYPE d histogram\n"
        "d_bucket{r=\"/\",le=\"0.5\"} 2\n"
        "d_bucket{r=\"/\",le=\"1.0\"} 5\n"
        "d_bucket{r=\"/\",le=\"+Inf\"} 9\n"
        "d_sum{r=\"/\"} 12.25\n"
        "d_count{r=\"/\"} 9\n");
}

TEST_CASE("exposition: buckets have exemplars in OpenMetrics only") {
  const auto write = [](Exposition::Format format) {
    Exposition text(format);
    text.begin("d", fw::metrics::MetricType::histogram, "");
    constexpr std::array<double, 1> kBounds = {0.5};
    constexpr std::array<std::uint64_t, 2> kCounts = {2, 3};
    text.histogram({}, kBounds, kCounts, 4,
                   {std::nullopt, fw::detail::Exemplar{.trace = "4bf92f3577b34da6a3ce929d0e0e4736",
                                                       .value = 0.75,
                                                       .time = 1'700'000'000.25}});
    return text.finish();
  };
  CHECK(write(Exposition::Format::prometheus) ==
        "# TYPE d histogram\nd_bucket{le=\"0.5\"} 2\nd_bucket{le=\"+Inf\"} 5\n"
        "d_sum 4\nd_count 5\n");
  CHECK(write(Exposition::Format::openmetrics) ==
        "# TYPE d histogram\nd_bucket{le=\"0.5\"} 2\n"
        "d_bucket{le=\"+Inf\"} 5 # {trace_id=\"4bf92f3577b34da6a3ce929d0e0e4736\"} 0.75 "
        "1700000000.250\n"
        "d_sum 4\nd_count 5\n# EOF\n");
}

TEST_CASE("exposition: large and special numbers") {
  Exposition text(Exposition::Format::prometheus);
  text.begin("n", fw::metrics::MetricType::gauge, "");
  text.sample({}, 1e18);
  text.sample({}, INFINITY);
  text.sample({}, -INFINITY);
  text.sample({}, NAN);
  CHECK(text.finish() == "# TYPE n gauge\nn 1e+18\nn +Inf\nn -Inf\nn NaN\n");
}

TEST_CASE("exposition: OpenMetrics for clients that name it") {
  using enum Exposition::Format;
  CHECK(Exposition::negotiate("") == prometheus);
  CHECK(Exposition::negotiate("*/*") == prometheus);
  CHECK(Exposition::negotiate("text/plain;version=0.0.4") == prometheus);
  CHECK(Exposition::negotiate("text/plain;q=0.5, Application/OpenMetrics-Text; version=1.0.0") ==
        openmetrics);
}

}  // namespace exposition_test
