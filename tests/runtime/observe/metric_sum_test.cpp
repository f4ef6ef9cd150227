#include "observe/metric_sum.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace metric_sum_test {

using fw::detail::Exemplar;
using fw::detail::Exposition;
using fw::detail::figures_text;
using fw::detail::Labels;
using fw::detail::MetricFigures;
using fw::detail::MetricSum;
using fw::detail::parse_figures;
using Kind = fw::metrics::MetricType;
using Figures = std::vector<MetricFigures>;

namespace {

std::string page_of(const Figures& figures, Exposition::Format format) {
  Exposition text(format);
  for (const MetricFigures& each : figures) text.add(each);
  return text.finish();
}

/// The metrics of a process as they arrive in another.
Figures process(double value, double started, double exemplar_time) {
  Exposition text(Exposition::Format::openmetrics);
  text.begin("jobs", Kind::counter, "Jobs.");
  text.sample({{"kind", "a"}}, value);
  text.begin("waiting", Kind::gauge, "");
  text.sample({}, value);
  text.begin("took", Kind::histogram, "");
  constexpr std::array<double, 1> kBounds = {0.5};
  const std::array<std::uint64_t, 2> counts = {1, static_cast<std::uint64_t>(value)};
  text.histogram({}, kBounds, counts, value,
                 {std::nullopt, Exemplar{std::to_string(started), 1, exemplar_time}});
  text.begin(fw::metrics::kStartTime);
  text.sample({}, started);
  const auto arrived = parse_figures(figures_text(text.take()));
  REQUIRE(arrived);
  return *arrived;
}

}  // namespace

TEST_CASE("metric sum: counters, gauges and histograms of processes are summed") {
  MetricSum sum;
  sum.add(process(2, 7, 100), MetricSum::Part::all);
  sum.add(process(3, 5, 99), MetricSum::Part::all);
  CHECK(page_of(sum.figures(), Exposition::Format::openmetrics) ==
        "# HELP jobs Jobs.\n# TYPE jobs counter\njobs_total{kind=\"a\"} 5\n"
        "# TYPE waiting gauge\nwaiting 5\n"
        "# TYPE took histogram\ntook_bucket{le=\"0.5\"} 2\n"
        "took_bucket{le=\"+Inf\"} 7 # {trace_id=\"7.000000\"} 1 100.000\n"
        "took_sum 5\ntook_count 7\n"
        "# HELP process_start_time_seconds Time of the start of the process, in seconds since "
        "1970.\n# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds 5\n# EOF\n");
}

TEST_CASE("metric sum: of a process that has ended, only what grows stays") {
  MetricSum sum;
  sum.add(process(2, 7, 100), MetricSum::Part::all);
  sum.add(process(3, 5, 99), MetricSum::Part::counts);
  const std::string page = page_of(sum.figures(), Exposition::Format::prometheus);
  CHECK(page.find("jobs_total{kind=\"a\"} 5\n") != std::string::npos);
  CHECK(page.find("waiting 2\n") != std::string::npos);
  CHECK(page.find("took_count 7\n") != std::string::npos);
  CHECK(page.find("process_start_time_seconds 7\n") != std::string::npos);
}

TEST_CASE("metric sum: another program's metric of that name is left out") {
  const auto with_bound = [](double bound) {
    Exposition text(Exposition::Format::prometheus);
    text.begin("took", Kind::histogram, "");
    text.histogram({}, std::array{bound}, std::array<std::uint64_t, 2>{1, 1}, 1);
    return text.take();
  };
  MetricSum sum;
  sum.add(with_bound(1), MetricSum::Part::all);
  sum.add(with_bound(2), MetricSum::Part::all);
  Exposition gauge(Exposition::Format::prometheus);
  gauge.begin("took", Kind::gauge, "");
  gauge.sample({}, 9);
  sum.add(gauge.take(), MetricSum::Part::all);
  CHECK(page_of(sum.figures(), Exposition::Format::prometheus) ==
        "# TYPE took histogram\ntook_bucket{le=\"1.0\"} 1\ntook_bucket{le=\"+Inf\"} 2\n"
        "took_sum 1\ntook_count 2\n");
}

TEST_CASE("metric sum: a histogram without a series yet gets the buckets of the next process") {
  Exposition empty(Exposition::Format::prometheus);
  empty.begin("took", Kind::histogram, "");
  MetricSum sum;
  sum.add(empty.take(), MetricSum::Part::all);
  sum.add(process(3, 5, 99), MetricSum::Part::all);
  CHECK(page_of(sum.figures(), Exposition::Format::prometheus).find("took_count 4\n") !=
        std::string::npos);
}

TEST_CASE("metric sum: the series of processes that follow each other have a bound") {
  MetricSum sum;
  for (int i = 0; i < 6'000; ++i) {
    Exposition text(Exposition::Format::prometheus);
    text.begin("own", Kind::counter, "");
    text.sample({{"id", std::to_string(i)}}, 1);
    sum.add(text.take(), MetricSum::Part::counts);
  }
  const auto figures = sum.figures();
  CHECK(figures[0].series.size() == 5'001);
  CHECK(figures[0].series.back().labels == Labels{{"otel_metric_overflow", "true"}});
  CHECK(figures[0].series.back().value == 1'000);
}

TEST_CASE("metric sum: numbers that JSON does not have arrive, and other texts are no metrics") {
  Exposition text(Exposition::Format::prometheus);
  text.begin("n", Kind::gauge, "");
  for (const double value : {static_cast<double>(INFINITY), -static_cast<double>(INFINITY),
                             static_cast<double>(NAN), 0.1}) {
    text.sample({}, value);
  }
  const auto arrived = parse_figures(figures_text(text.take()));
  REQUIRE(arrived);
  CHECK(page_of(*arrived, Exposition::Format::prometheus) ==
        "# TYPE n gauge\nn +Inf\nn -Inf\nn NaN\nn 0.1\n");
  for (const char* other :
       {"", "{", R"({"status":"ready"})", R"([["a"]])", R"([["a",0,"",[],[[1]]]])",
        R"([["a",2,"",[1],[[[],1,[1,1],[[9,"t",1,1]]]]]])"}) {
    CAPTURE(other);
    CHECK(!parse_figures(other));
  }
}

}  // namespace metric_sum_test
