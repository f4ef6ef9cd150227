// What is counted of each request for `/metrics` (docs/metrics.md).
#pragma once

#include <cstddef>

#include "exchange/exchange.hpp"
#include "observe/request_metrics.hpp"

namespace fw::detail {

/// Counts a request from its construction on. Its destructor counts the response, whatever happened
/// meanwhile.
class MeasuredRequest {
 public:
  /// `metrics` may be null: then nothing is counted.
  MeasuredRequest(RequestMetrics* metrics, const Exchange& exchange)
      : metrics_(metrics), exchange_(exchange) {
    if (metrics_ != nullptr) part_ = metrics_->begin();
  }
  ~MeasuredRequest() {
    if (metrics_ != nullptr) end();
  }
  MeasuredRequest(const MeasuredRequest&) = delete;
  MeasuredRequest& operator=(const MeasuredRequest&) = delete;

  /// The status of the exchange has been sent.
  void complete() { is_complete_ = true; }

 private:
  void end() const;
  /// The same for any response.
  void end_any() const;

  RequestMetrics* const metrics_;
  const Exchange& exchange_;
  RequestMetrics::Part part_ = nullptr;
  bool is_complete_ = false;
};

/// Counts bytes of a body that is sent after the handler has returned, also for the report at its
/// end.
void count_sent(Exchange& exchange, std::size_t size);

}  // namespace fw::detail
