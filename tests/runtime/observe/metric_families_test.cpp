#include "observe/metric_families.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "app/access.hpp"

namespace metric_families_test {

using fw::detail::Exposition;

namespace {

std::string text_of(fw::Metrics& metrics) {
  Exposition text(Exposition::Format::prometheus);
  fw::detail::Access::families(metrics).write(text);
  return "\n" + text.finish();
}

bool has(fw::Metrics& metrics, const std::string& line) {
  return text_of(metrics).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("own metrics: a name is registered once, and found afterwards") {
  fw::Metrics metrics(true);
  metrics.counter("orders", {"channel"}).add({"web"});
  metrics.counter("orders", {"channel"}).add({"web"});
  CHECK(has(metrics, R"(orders_total{channel="web"} 2)"));
  CHECK_THROWS_AS(metrics.counter("orders", {"shop"}), std::logic_error);
  CHECK_THROWS_AS(metrics.gauge("orders", {"channel"}), std::logic_error);
  metrics.histogram("size", {}, {.buckets = {1, 2}});
  CHECK_THROWS_AS(metrics.histogram("size", {}, {.buckets = {1, 3}}), std::logic_error);
}

TEST_CASE("own metrics: wrong names, labels and buckets are errors") {
  fw::Metrics metrics(true);
  for (const char* name : {"", "1st", "with-dash", "http_requests", "process_time", "fairway_x",
                           "orders_total", "a_bucket", "a_count", "a_sum"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(metrics.counter(name), std::invalid_argument);
  }
  for (const char* label : {"", "1st", "__name", "with-dash", "le", "quantile"}) {
    CAPTURE(label);
    CHECK_THROWS_AS(metrics.counter("a", {label}), std::invalid_argument);
  }
  CHECK_THROWS_AS(metrics.counter("a", {"x", "x"}), std::invalid_argument);
  CHECK_THROWS_AS(metrics.histogram("a", {}, {.buckets = {2, 1}}), std::invalid_argument);
  CHECK_THROWS_AS(metrics.histogram("a", {}, {.buckets = {1, INFINITY}}), std::invalid_argument);
  CHECK_THROWS_WITH_AS(metrics.counter("b", {"x"}).add({"1", "2"}),
                       "the metric 'b' has 1 label, not 2", std::invalid_argument);
  CHECK_THROWS_AS(metrics.counter("b", {"x"}).add(), std::invalid_argument);
}

TEST_CASE("own metrics: a metric has a bounded number of series") {
  fw::Metrics metrics(true);
  const fw::Counter counter = metrics.counter("logins", {"user"});
  for (int i = 0; i < 5'000; ++i) counter.add({std::to_string(i)});
  counter.add({"7"});
  CHECK(has(metrics, R"(logins_total{user="7"} 2)"));
  CHECK(has(metrics, R"(logins_total{otel_metric_overflow="true"} 4000)"));
  const fw::Histogram sizes = metrics.histogram("sizes", {"name"});
  sizes.observe({std::string(257, 'x')}, 1);
  sizes.observe({std::string(256, 'x')}, 1);
  CHECK(has(metrics, R"(sizes_count{otel_metric_overflow="true"} 1)"));
  CHECK(has(metrics, "sizes_count{name=\"" + std::string(256, 'x') + "\"} 1"));
}

TEST_CASE("own metrics: a counter only grows, and no metric has a value that is no number") {
  fw::Metrics metrics(true);
  const fw::Counter counter = metrics.counter("c");
  counter.add(2.5);
  counter.add(-1);
  counter.add(NAN);
  counter.add(INFINITY);
  CHECK(has(metrics, "c_total 2.5"));
  const fw::Gauge gauge = metrics.gauge("g", {"x"});
  gauge.set({"a"}, 5);
  gauge.add({"a"}, -7);
  CHECK(has(metrics, R"(g{x="a"} -2)"));
  const fw::Histogram histogram = metrics.histogram("h");
  histogram.observe(NAN);
  histogram.observe(0.3);
  CHECK(has(metrics, R"(h_bucket{le="0.25"} 0)"));
  CHECK(has(metrics, R"(h_bucket{le="0.5"} 1)"));
  CHECK(has(metrics, "h_count 1"));
}

TEST_CASE("own metrics: only histograms have buckets") {
  fw::Metrics metrics(true);
  CHECK_THROWS_AS(metrics.counter("c", {}, {.buckets = {1, 2}}), std::invalid_argument);
  CHECK_THROWS_AS(metrics.gauge("g", {}, {.buckets = {1, 2}}), std::invalid_argument);
  CHECK_NOTHROW(metrics.histogram("h", {}, {.buckets = {1, 2}}));
}

TEST_CASE("own metrics: a label that is not UTF-8 is repaired") {
  fw::Metrics metrics(true);
  const fw::Counter counter = metrics.counter("c", {"x"});
  for (const std::string_view value : {"a\xFF", "a\xFE", "a\xFF"}) counter.add({value});
  CHECK(has(metrics, "c_total{x=\"a\xEF\xBF\xBD\"} 3"));
}

}  // namespace metric_families_test
