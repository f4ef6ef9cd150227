#include "metrics/metric_table.hpp"

#include <algorithm>

namespace fw::metrics {
namespace {

constexpr std::array kMetrics = {kRequestDuration,
                                 kActiveRequests,
                                 kRequestBytes,
                                 kResponseBytes,
                                 kCallDuration,
                                 kQueueDuration,
                                 kRejectedRequests,
                                 kCacheResponses,
                                 kStoreDuration,
                                 kWorkers,
                                 kBusyWorkers,
                                 kConnections,
                                 kHttp2Floods,
                                 kOpenStreams,
                                 kStreamEvents,
                                 kStreamEventsDropped,
                                 kOpenSockets,
                                 kSocketMessages,
                                 kSocketMessagesDropped,
                                 kTopicEventsPublished,
                                 kTopicEventsDelivered,
                                 kTopicEventsLost,
                                 kTopicEventsUnreadable,
                                 kSentSpans,
                                 kLostSpans,
                                 kProcessorTime,
                                 kVirtualMemory,
                                 kResidentMemory,
                                 kOpenDescriptors,
                                 kMaxDescriptors,
                                 kStartTime};

}  // namespace

std::string_view name_of(MetricType type) {
  if (type == MetricType::counter) return "counter";
  return type == MetricType::gauge ? "gauge" : "histogram";
}

std::span<const Metric> all() { return kMetrics; }

const Metric* find(std::string_view name) {
  const auto* const found = std::ranges::find(kMetrics, name, &Metric::name);
  return found == kMetrics.end() ? nullptr : found;
}

}  // namespace fw::metrics
