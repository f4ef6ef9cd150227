#include "pipeline/measured_request.hpp"

#include <chrono>
#include <cstdint>
#include <string>

#include "exchange/readable_source.hpp"
#include "observe/request_trace.hpp"

namespace fw::detail {
namespace {

using std::chrono::steady_clock;

MeasuredCache measured_cache(CacheOutcome outcome) {
  static_assert(static_cast<int>(CacheOutcome::hit) == static_cast<int>(MeasuredCache::hit) &&
                static_cast<int>(CacheOutcome::miss) == static_cast<int>(MeasuredCache::miss) &&
                static_cast<int>(CacheOutcome::stale) == static_cast<int>(MeasuredCache::stale));
  return static_cast<MeasuredCache>(outcome);
}

/// The stage has noted why it rejects; the application may have responded otherwise.
Rejection measured_rejection(const Exchange& exchange, int status) {
  if (status < 400) return Rejection::none;
  if (status == 413) return Rejection::body_size;
  if (status == 403 && exchange.rejection() == Rejection::unauthenticated) {
    return Rejection::forbidden;
  }
  return exchange.rejection();
}

std::size_t measured_route(const Exchange& exchange) {
  return exchange.route != nullptr ? exchange.route->number : RequestMetrics::kNoRoute;
}

/// The bytes of a body that is sent at once. Other bodies are counted while they are sent.
std::uint64_t measured_bytes(const Exchange& exchange) {
  const OutgoingResponse& response = exchange.outgoing;
  if (response.status == 204 || response.status == 304 || exchange.head.method == "HEAD") return 0;
  if (response.kind == OutgoingResponse::Kind::body) return response.body.size();
  if (response.kind != OutgoingResponse::Kind::stream) return 0;
  const Readable& source = *response.source;
  if (const std::string* const text = ReadableSource::text_of(source)) return text->size();
  const http::FilePart* const file = ReadableSource::file_of(source);
  return file != nullptr ? file->size : 0;
}

/// Null unless its trace is sent.
const base::TraceId* measured_trace(const Exchange& exchange) {
  if (!exchange.context.span || !exchange.context.span.trace()->is_kept()) return nullptr;
  return &exchange.context.span.trace()->self().trace;
}

RequestMetrics::Response measured_response(const Exchange& exchange, int status,
                                           std::uint64_t bytes) {
  return {.route = measured_route(exchange),
          .method = exchange.head.method,
          .status = status,
          .rejection = measured_rejection(exchange, status),
          .cache = measured_cache(exchange.outgoing.freshness.outcome),
          .queued = exchange.transaction->queued_for(),
          .request_bytes = exchange.body_bytes,
          .response_bytes = bytes,
          .trace = measured_trace(exchange)};
}

/// Whether `RequestMetrics::end_usual` may count a response that has been sent.
bool is_usual(const Exchange& exchange) {
  if (exchange.ended == steady_clock::time_point() || exchange.route == nullptr) return false;
  const OutgoingResponse& response = exchange.outgoing;
  const char method = exchange.head.method.front();
  return method != 'H' && method != 'O' && response.kind == OutgoingResponse::Kind::body &&
         RequestMetrics::is_usual(response.status) &&
         response.freshness.outcome == CacheOutcome::none &&
         exchange.transaction->queued_for().count() == 0 && measured_trace(exchange) == nullptr;
}

}  // namespace

void MeasuredRequest::end() const {
  if (!is_complete_ || !is_usual(exchange_)) return end_any();
  metrics_->end_usual(part_, exchange_.route->number, exchange_.outgoing.status,
                      exchange_.ended - exchange_.began, exchange_.body_bytes,
                      exchange_.outgoing.body.size());
}

void MeasuredRequest::end_any() const {
  // Reading the clock is the most expensive part, and the access line has done it.
  const bool has_ended = exchange_.ended != steady_clock::time_point();
  const auto end = has_ended ? exchange_.ended : steady_clock::now();
  const auto response = is_complete_ ? measured_response(exchange_, exchange_.outgoing.status,
                                                         measured_bytes(exchange_))
                                     : measured_response(exchange_, 500, 0);
  metrics_->end(part_, response, end - exchange_.began);
}

void count_sent(Exchange& exchange, std::size_t size) {
  if (RequestMetrics* const metrics = exchange.env.metrics.get(); metrics != nullptr && size > 0) {
    metrics->count_sent(measured_route(exchange), exchange.head.method, size);
  }
  if (StreamReport* const report = exchange.outgoing.report.get()) report->sent += size;
}

}  // namespace fw::detail
