// Compares what the framework exposes with its table of metrics.
#pragma once

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>

#include "metrics/metric_table.hpp"

namespace fw::support {

/// The lines of the text format of Prometheus whose metric, kind or label is not in the table.
/// Metrics of the application are ignored.
inline std::string unlisted_metrics(const std::string& text) {
  static const std::regex kOwn("^(# TYPE )?(http|process|fairway)_.*");
  static const std::regex kLabel(R"re([{,](\w+)="(?:[^"\\]|\\.)*")re");
  std::string unlisted;
  const metrics::Metric* metric = nullptr;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_match(line, kOwn)) continue;
    std::istringstream words(line);
    if (std::string word; line.starts_with("# TYPE") && words >> word >> word) {
      std::string name;
      std::string kind;
      words >> name >> kind;
      const auto all = metrics::all();
      const auto found = std::ranges::find_if(
          all, [&](const metrics::Metric& each) { return each.series() == name; });
      metric = found == all.end() ? nullptr : &*found;
      if (metric == nullptr || metrics::name_of(metric->type) != kind) unlisted += line + '\n';
      continue;
    }
    if (metric == nullptr) continue;
    for (std::sregex_iterator label(line.begin(), line.end(), kLabel), end; label != end; ++label) {
      const std::string name = (*label)[1];
      const bool is_bound = name == "le" && metric->type == metrics::MetricType::histogram;
      const bool is_overflow = name == "otel_metric_overflow";
      if (!is_bound && !is_overflow &&
          std::ranges::find(metric->labels, name) == metric->labels.end()) {
        unlisted += line + '\n';
      }
    }
  }
  return unlisted;
}

}  // namespace fw::support
