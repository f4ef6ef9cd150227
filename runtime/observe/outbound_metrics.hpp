// What the framework measures of calls to other services (docs/metrics.md).
#pragma once

#include <chrono>
#include <string_view>

#include "observe/exposition.hpp"
#include "observe/metric_families.hpp"

namespace fw::detail {

/// Thread-safe. The functions that count do not throw.
class OutboundMetrics {
 public:
  OutboundMetrics();

  struct Attempt {
    /// Of the server, if the application has declared it: "https://api.example.com:443". Empty for
    /// URLs that may come from clients, so that these cannot add series.
    std::string_view origin;
    std::string_view method;
    std::chrono::nanoseconds duration;
  };
  void count_response(const Attempt& attempt, int status) noexcept;
  /// `error` is one of few names: "timeout".
  void count_failure(const Attempt& attempt, std::string_view error) noexcept;

  void write(Exposition& text) const { durations_.write(text); }

 private:
  void count(const Attempt& attempt, std::string_view status, std::string_view error);

  MetricFamily durations_;
};

}  // namespace fw::detail
