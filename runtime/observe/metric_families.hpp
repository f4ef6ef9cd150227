// The metrics of the application: `app.metrics()`.
#pragma once

#include <fairway/metrics.hpp>

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "observe/exposition.hpp"

namespace fw::detail {

/// One metric and its series. Thread-safe.
class MetricFamily {
 public:
  MetricFamily(std::string name, metrics::MetricType type, std::vector<std::string> labels,
               MetricOptions options)
      : name_(std::move(name)),
        type_(type),
        labels_(std::move(labels)),
        options_(std::move(options)) {}

  const std::string& name() const { return name_; }
  /// Whether a metric that is asked for is this one. The help may differ.
  bool is(metrics::MetricType type, const std::vector<std::string>& labels,
          const MetricOptions& options) const {
    return type_ == type && labels_ == labels && options_.buckets == options.buckets;
  }

  void add(LabelValues labels, double value);
  void set(LabelValues labels, double value);
  void observe(LabelValues labels, double value);
  void write(Exposition& text) const;

 private:
  struct Series {
    double value = 0;                        ///< of a histogram, the sum
    std::vector<std::uint64_t> counts = {};  ///< of a histogram
  };
  /// Compares values of labels that are kept with the values of a call.
  struct Less {
    using is_transparent = void;  // NOLINT(readability-identifier-naming)
    bool operator()(const auto& a, const auto& b) const {
      return std::lexicographical_compare(
          a.begin(), a.end(), b.begin(), b.end(),
          [](std::string_view x, std::string_view y) { return x < y; });
    }
  };

  /// The caller holds the lock.
  Series& series_of(LabelValues labels);
  void write(Exposition& text, const Labels& labels, const Series& series) const;

  const std::string name_;
  const metrics::MetricType type_;
  const std::vector<std::string> labels_;
  const MetricOptions options_;

  mutable std::mutex mutex_;  // guards the following members
  std::map<std::vector<std::string>, Series, Less> series_;
  Series overflow_;
  bool has_overflow_ = false;
};

/// All of them. Thread-safe.
class MetricFamilies {
 public:
  /// See fw::Metrics.
  MetricFamily* get(std::string_view name, metrics::MetricType type,
                    std::vector<std::string> labels, MetricOptions options);
  void write(Exposition& text) const;

 private:
  mutable std::mutex mutex_;  // guards the following member
  std::list<MetricFamily> families_;
};

}  // namespace fw::detail
