#include "observe/metric_sum.hpp"

#include <fairway/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <utility>

#include "base/json_text.hpp"

namespace fw::detail {
namespace {

using metrics::MetricType;

/// Of a metric whose labels the application or its configuration chooses: each process has fewer,
/// but the series of processes that have ended stay.
constexpr std::size_t kMaxOwnSeries = 5'000;

constexpr std::string_view kInfinityText = "+Inf";
constexpr std::string_view kNegativeInfinityText = "-Inf";

/// JSON has no such numbers.
Json to_json(double value) {
  if (std::isnan(value)) return nullptr;
  if (std::isinf(value)) return value > 0 ? kInfinityText : kNegativeInfinityText;
  return value;
}

double number_of(const Json& json) {
  if (json.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (json == kInfinityText) return std::numeric_limits<double>::infinity();
  if (json == kNegativeInfinityText) return -std::numeric_limits<double>::infinity();
  return json.get<double>();
}

Json to_json(const MetricFigures::Series& series) {
  Json exemplars = Json::array();
  for (std::size_t i = 0; i < series.exemplars.size(); ++i) {
    const auto& exemplar = series.exemplars[i];
    if (exemplar) exemplars.push_back({i, exemplar->trace, exemplar->value, exemplar->time});
  }
  return {series.labels, to_json(series.value), series.counts, std::move(exemplars)};
}

MetricFigures::Series series_of(const Json& json, std::size_t buckets) {
  MetricFigures::Series series{.labels = json.at(0).get<Labels>(),
                               .value = number_of(json.at(1)),
                               .counts = json.at(2).get<std::vector<std::uint64_t>>()};
  series.counts.resize(buckets);
  if (!json.at(3).empty()) series.exemplars.resize(buckets);
  for (const Json& each : json.at(3)) {
    series.exemplars.at(each.at(0).get<std::size_t>()) = {
        each.at(1).get<std::string>(), each.at(2).get<double>(), each.at(3).get<double>()};
  }
  return series;
}

bool has_bounded_labels(const std::string& name) {
  return metrics::find(name) != nullptr && name != metrics::kCallDuration.name;
}

/// Keeps the newer exemplar of each bucket.
void merge_exemplars(MetricFigures::Series& into, const MetricFigures::Series& from) {
  into.exemplars.resize(std::max(into.exemplars.size(), from.exemplars.size()));
  for (std::size_t i = 0; i < from.exemplars.size(); ++i) {
    if (!from.exemplars[i]) continue;
    auto& kept = into.exemplars[i];
    if (!kept || kept->time < from.exemplars[i]->time) kept = from.exemplars[i];
  }
}

}  // namespace

std::string figures_text(const std::vector<MetricFigures>& figures) {
  Json json = Json::array();
  for (const MetricFigures& each : figures) {
    Json series = Json::array();
    for (const MetricFigures::Series& one : each.series) series.push_back(to_json(one));
    json.push_back(
        {each.name, static_cast<int>(each.type), each.help, each.bounds, std::move(series)});
  }
  return base::to_json_text(json);
}

std::optional<std::vector<MetricFigures>> parse_figures(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_array()) return std::nullopt;
  try {
    std::vector<MetricFigures> figures;
    for (const Json& each : json) {
      MetricFigures& metric = figures.emplace_back();
      metric.name = each.at(0).get<std::string>();
      metric.type = static_cast<MetricType>(each.at(1).get<int>());
      metric.help = each.at(2).get<std::string>();
      metric.bounds = each.at(3).get<std::vector<double>>();
      const std::size_t buckets =
          metric.type == MetricType::histogram ? metric.bounds.size() + 1 : 0;
      for (const Json& one : each.at(4)) metric.series.push_back(series_of(one, buckets));
    }
    return figures;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

MetricFigures::Series& MetricSum::series_of(Family& family, const Labels& labels) {
  const auto found = family.series.find(labels);
  if (found != family.series.end()) return family.figures.series[found->second];
  if (family.series.size() >= kMaxOwnSeries && !has_bounded_labels(family.figures.name)) {
    static const Labels kOverflow = {{"otel_metric_overflow", "true"}};
    if (labels != kOverflow) return series_of(family, kOverflow);
  }
  family.series.emplace(labels, family.figures.series.size());
  auto& series = family.figures.series.emplace_back();
  series.labels = labels;
  if (family.figures.type == MetricType::histogram)
    series.counts.resize(family.figures.bounds.size() + 1);
  return series;
}

void MetricSum::add(const std::vector<MetricFigures>& process, Part part) {
  for (const MetricFigures& added : process) {
    if (part == Part::counts && added.type == MetricType::gauge) continue;
    const auto [name, is_new] = names_.try_emplace(added.name, families_.size());
    if (is_new) {
      families_.push_back({.figures = {.name = added.name,
                                       .type = added.type,
                                       .help = added.help,
                                       .bounds = added.bounds}});
    }
    Family& family = families_[name->second];
    MetricFigures& figures = family.figures;
    // The bounds of a histogram are known with its first series.
    if (figures.series.empty()) figures.bounds = added.bounds;
    if (figures.type != added.type || (!added.series.empty() && figures.bounds != added.bounds)) {
      continue;
    }
    const metrics::Metric* const metric = metrics::find(added.name);
    const bool is_smallest = metric != nullptr && metric->merge == metrics::Merge::smallest;
    for (const MetricFigures::Series& from : added.series) {
      const std::size_t known = family.series.size();
      MetricFigures::Series& into = series_of(family, from.labels);
      const bool is_first = family.series.size() > known;
      if (is_smallest && !is_first) {
        into.value = std::min(into.value, from.value);
      } else {
        into.value += from.value;
      }
      for (std::size_t i = 0; i < std::min(into.counts.size(), from.counts.size()); ++i) {
        into.counts[i] += from.counts[i];
      }
      merge_exemplars(into, from);
    }
  }
}

std::vector<MetricFigures> MetricSum::figures() const {
  std::vector<MetricFigures> figures;
  figures.reserve(families_.size());
  for (const Family& family : families_) figures.push_back(family.figures);
  return figures;
}

}  // namespace fw::detail
