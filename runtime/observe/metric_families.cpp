#include "observe/metric_families.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/ascii.hpp"
#include "base/counted.hpp"
#include "base/utf8.hpp"

namespace fw::detail {
namespace {

constexpr std::size_t kMaxSeries = 1'000;
/// Of the value of a label, in bytes. Longer ones do not get a series of their own.
constexpr std::size_t kMaxLabelValue = 256;

bool is_metric_word(std::string_view name) {
  const auto is_allowed = [](char c) { return base::is_alphanumeric(c) || c == '_'; };
  return !name.empty() && !base::is_digit(name.front()) &&
         std::all_of(name.begin(), name.end(), is_allowed);
}

void check_metric_name(std::string_view name, metrics::MetricType type) {
  const auto reject = [&](std::string_view rule) {
    throw std::invalid_argument(fmt::format("the name '{}' of a metric {}", name, rule));
  };
  if (!is_metric_word(name)) {
    reject("must have letters, digits and '_' only, and not begin with a digit");
  }
  for (const std::string_view prefix : {"http_", "process_", "fairway_"}) {
    if (name.starts_with(prefix)) reject("begins with a prefix of the framework's metrics");
  }
  for (const std::string_view suffix : {"_total", "_bucket", "_sum", "_count", "_created"}) {
    if (name.ends_with(suffix)) {
      reject(type == metrics::MetricType::counter && suffix == "_total"
                 ? "must not end with '_total', which is added"
                 : fmt::format("must not end with '{}', which has a meaning of its own", suffix));
    }
  }
}

void check_metric_labels(std::string_view name, const std::vector<std::string>& labels) {
  std::set<std::string_view> seen;
  for (const std::string& label : labels) {
    const auto reject = [&](std::string_view rule) {
      throw std::invalid_argument(
          fmt::format("the label '{}' of the metric '{}' {}", label, name, rule));
    };
    if (!is_metric_word(label) || label.starts_with("__")) {
      reject("must have letters, digits and '_' only, and not begin with a digit or '__'");
    }
    if (label == "le" || label == "quantile") reject("has a meaning of its own");
    if (!seen.insert(label).second) reject("is there twice");
  }
}

void check_buckets(std::string_view name, const std::vector<double>& buckets) {
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    if (!std::isfinite(buckets[i]) || (i > 0 && buckets[i] <= buckets[i - 1])) {
      throw std::invalid_argument(
          fmt::format("the buckets of the metric '{}' must be numbers in ascending order", name));
    }
  }
}

}  // namespace

MetricFamily::Series& MetricFamily::series_of(LabelValues labels) {
  if (labels.size() != labels_.size()) {
    throw std::invalid_argument(fmt::format("the metric '{}' has {}, not {}", name_,
                                            base::counted(labels_.size(), "label"), labels.size()));
  }
  if (const auto found = series_.find(labels); found != series_.end()) return found->second;
  bool is_long = false;
  std::vector<std::string> values;
  for (const std::string_view value : labels) {
    is_long = is_long || value.size() > kMaxLabelValue;
    // Repaired here, because two series with the same labels would make all of `/metrics` invalid.
    values.push_back(base::valid_utf8(std::string(value)));
  }
  if (const auto found = series_.find(values); found != series_.end()) return found->second;
  Series fresh;
  if (type_ == metrics::MetricType::histogram) fresh.counts.resize(options_.buckets.size() + 1);
  if (series_.size() < kMaxSeries && !is_long) {
    return series_.emplace(std::move(values), std::move(fresh)).first->second;
  }
  if (!std::exchange(has_overflow_, true)) overflow_ = std::move(fresh);
  return overflow_;
}

void MetricFamily::add(LabelValues labels, double value) {
  const std::lock_guard lock(mutex_);
  Series& series = series_of(labels);
  const bool is_counter = type_ == metrics::MetricType::counter;
  if (is_counter && !(value >= 0 && std::isfinite(value))) return;
  series.value += value;
}

void MetricFamily::set(LabelValues labels, double value) {
  const std::lock_guard lock(mutex_);
  series_of(labels).value = value;
}

void MetricFamily::observe(LabelValues labels, double value) {
  const std::lock_guard lock(mutex_);
  Series& series = series_of(labels);
  if (std::isnan(value)) return;
  const auto& bounds = options_.buckets;
  const auto bucket = std::lower_bound(bounds.begin(), bounds.end(), value) - bounds.begin();
  ++series.counts[static_cast<std::size_t>(bucket)];
  series.value += value;
}

void MetricFamily::write(Exposition& text, const Labels& labels, const Series& series) const {
  if (type_ == metrics::MetricType::histogram) {
    text.histogram(labels, options_.buckets, series.counts, series.value);
  } else {
    text.sample(labels, series.value);
  }
}

void MetricFamily::write(Exposition& text) const {
  const std::lock_guard lock(mutex_);
  text.begin(name_, type_, options_.help);
  for (const auto& [values, series] : series_) {
    Labels labels;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      // To Prometheus, an empty label is the same as none.
      if (!values[i].empty()) labels.emplace_back(labels_[i], values[i]);
    }
    write(text, labels, series);
  }
  if (has_overflow_) write(text, {{"otel_metric_overflow", "true"}}, overflow_);
}

MetricFamily* MetricFamilies::get(std::string_view name, metrics::MetricType type,
                                  std::vector<std::string> labels, MetricOptions options) {
  check_metric_name(name, type);
  check_metric_labels(name, labels);
  if (type != metrics::MetricType::histogram && !options.buckets.empty()) {
    throw std::invalid_argument(
        fmt::format("the metric '{}' has buckets, which only histograms have", name));
  }
  check_buckets(name, options.buckets);
  if (type == metrics::MetricType::histogram && options.buckets.empty()) {
    options.buckets.assign(kDurationBounds.begin(), kDurationBounds.end());
  }
  const std::lock_guard lock(mutex_);
  for (MetricFamily& family : families_) {
    if (family.name() != name) continue;
    if (family.is(type, labels, options)) return &family;
    throw std::logic_error(fmt::format(
        "the metric '{}' already exists as another kind, or with other labels or buckets", name));
  }
  return &families_.emplace_back(std::string(name), type, std::move(labels), std::move(options));
}

void MetricFamilies::write(Exposition& text) const {
  const std::lock_guard lock(mutex_);
  for (const MetricFamily& family : families_) family.write(text);
}

}  // namespace fw::detail

namespace fw {

using detail::Exposition;

Metrics::Metrics(bool is_enabled)
    : families_(std::make_unique<detail::MetricFamilies>()), is_enabled_(is_enabled) {}
Metrics::~Metrics() = default;

Counter Metrics::counter(std::string_view name, std::vector<std::string> labels,
                         MetricOptions options) {
  auto* const family =
      families_->get(name, metrics::MetricType::counter, std::move(labels), std::move(options));
  return Counter(is_enabled_ ? family : nullptr);
}

Gauge Metrics::gauge(std::string_view name, std::vector<std::string> labels,
                     MetricOptions options) {
  auto* const family =
      families_->get(name, metrics::MetricType::gauge, std::move(labels), std::move(options));
  return Gauge(is_enabled_ ? family : nullptr);
}

Histogram Metrics::histogram(std::string_view name, std::vector<std::string> labels,
                             MetricOptions options) {
  auto* const family =
      families_->get(name, metrics::MetricType::histogram, std::move(labels), std::move(options));
  return Histogram(is_enabled_ ? family : nullptr);
}

void Counter::add(LabelValues labels, double value) const {
  if (family_ != nullptr) family_->add(labels, value);
}

void Gauge::set(LabelValues labels, double value) const {
  if (family_ != nullptr) family_->set(labels, value);
}

void Gauge::add(LabelValues labels, double value) const {
  if (family_ != nullptr) family_->add(labels, value);
}

void Histogram::observe(LabelValues labels, double value) const {
  if (family_ != nullptr) family_->observe(labels, value);
}

}  // namespace fw
