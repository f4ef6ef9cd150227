#include "observe/outbound_metrics.hpp"

#include <algorithm>
#include <exception>
#include <string>

#include "base/methods.hpp"
#include "observe/request_metrics.hpp"

namespace fw::detail {
namespace {

struct ServerLabels {
  std::string_view address;
  std::string_view port;
};

/// The address is the path of a unix socket if the origin ends with one.
ServerLabels server_of(std::string_view origin) {
  origin.remove_prefix(std::min(origin.size(), origin.find("://") + 3));
  if (const auto path = origin.find('/'); path != std::string_view::npos) {
    return {origin.substr(path), {}};
  }
  const auto colon = std::min(origin.size(), origin.rfind(':'));
  return {origin.substr(0, colon), origin.substr(std::min(origin.size(), colon + 1))};
}

}  // namespace

OutboundMetrics::OutboundMetrics()
    : durations_(std::string(metrics::kCallDuration.name), metrics::kCallDuration.type,
                 {metrics::kCallDuration.labels.begin(), metrics::kCallDuration.labels.end()},
                 {.help = std::string(metrics::kCallDuration.help),
                  .buckets = {kDurationBounds.begin(), kDurationBounds.end()}}) {}

void OutboundMetrics::count_response(const Attempt& attempt, int status) noexcept {
  try {
    count(attempt, status_label(status), {});
  } catch (const std::exception&) {
    // Out of memory: the call is more important than its count.
  }
}

void OutboundMetrics::count_failure(const Attempt& attempt, std::string_view error) noexcept {
  try {
    count(attempt, {}, error);
  } catch (const std::exception&) {
  }
}

void OutboundMetrics::count(const Attempt& attempt, std::string_view status,
                            std::string_view error) {
  const bool is_known = base::find_method(attempt.method) == attempt.method;
  const ServerLabels server = server_of(attempt.origin);
  durations_.observe(
      {is_known ? attempt.method : "_OTHER", server.address, server.port, status, error},
      std::chrono::duration<double>(attempt.duration).count());
}

}  // namespace fw::detail
