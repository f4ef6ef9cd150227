// Sums the metrics of the processes of a cluster (docs/metrics.md).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "observe/exposition.hpp"

namespace fw::detail {

/// Metrics as a text for another process.
std::string figures_text(const std::vector<MetricFigures>& figures);
/// The opposite; nothing for another text.
std::optional<std::vector<MetricFigures>> parse_figures(std::string_view text);

class MetricSum {
 public:
  enum class Part {
    all,
    counts,  ///< of a process that has ended: what only grows
  };

  /// Adds the metrics of a process. Of metrics with one name, only those with the kind and the
  /// buckets of the first are added: during a reload, processes may be of different programs.
  void add(const std::vector<MetricFigures>& process, Part part);
  std::vector<MetricFigures> figures() const;

 private:
  struct Family {
    MetricFigures figures;
    std::map<Labels, std::size_t> series = {};  ///< the indexes
  };

  MetricFigures::Series& series_of(Family& family, const Labels& labels);

  std::vector<Family> families_;
  std::map<std::string, std::size_t> names_;
};

}  // namespace fw::detail
