// What is to be done when a stream or a socket has ended: a line in the log, the end of a span.
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace fw::detail {

/// Functions that are called once. Not thread-safe.
template <class End>
class EndReports {
 public:
  using Report = std::function<void(const End&)>;

  void add(Report report) { reports_.push_back(std::move(report)); }
  void clear() { reports_.clear(); }
  void swap(EndReports& other) noexcept { reports_.swap(other.reports_); }

  void operator()(const End& end) const noexcept {
    for (const Report& report : reports_) {
      try {
        report(end);
      } catch (...) {
        // Nothing is left to report the error with: the log has failed.
      }
    }
  }

 private:
  std::vector<Report> reports_;
};

}  // namespace fw::detail
