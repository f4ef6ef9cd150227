#include "pipeline/request_tracing.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/methods.hpp"
#include "errors/exception_info.hpp"
#include "features/events/event_channel.hpp"
#include "features/sockets/socket_channel.hpp"

namespace fw::detail {
namespace {

using std::chrono::steady_clock;

std::string_view name_of_outcome(CacheOutcome outcome) {
  switch (outcome) {
    case CacheOutcome::hit:
      return "hit";
    case CacheOutcome::miss:
      return "miss";
    case CacheOutcome::stale:
      return "stale";
    default:
      return {};
  }
}

steady_clock::time_point end_of(const Exchange& exchange) {
  const bool is_known = exchange.ended != steady_clock::time_point();
  return is_known ? exchange.ended : steady_clock::now();
}

/// When the request was ready for a thread. Another wait may have come before that for a thread.
steady_clock::time_point begin_of(const Exchange& exchange) {
  const RoutePlan* const plan = exchange.plan();
  if (plan != nullptr && plan->begin) return exchange.began;
  return exchange.began - exchange.transaction->queued_for();
}

/// The span of the request. What its attributes need a text for is made when it is sent.
RequestSpan server_span(Exchange& exchange, const RequestTrace& trace, int status,
                        CacheOutcome outcome) {
  const auto* const method = std::ranges::find(base::kMethods, exchange.head.method);
  const Route* const route = exchange.route;
  return {.trace = trace.self().trace,
          .id = trace.self().span,
          .parent = trace.parent(),
          .begin = begin_of(exchange),
          .kind = {.method = method != base::kMethods.end() ? *method : std::string_view(),
                   .scheme = exchange.protocol(),
                   .route = route != nullptr ? std::string_view(route->path) : std::string_view(),
                   .file = route != nullptr ? std::string_view(route->file) : std::string_view(),
                   .version = exchange.transaction->http_version(),
                   .cache = name_of_outcome(outcome),
                   .line = route != nullptr ? route->line : 0,
                   .status = status},
          .path = recorded_text(exchange.path),
          .client = recorded_text(exchange.ip())};
}

void enter(Exchange& exchange, SharedTrace trace, const base::TickedTime& begin) noexcept {
  trace->allow_main_span(begin);
  exchange.context.span.begin(std::move(trace));
}

/// The caller may have a trace that is continued, or the thread has no memory for one yet.
[[gnu::noinline]] void begin_any_trace(Exchange& exchange, steady_clock::time_point now) noexcept
    try {
  const base::TickedTime begin{now, base::ticks()};  // first: both at the same time
  const Tracer& tracer = *exchange.env.tracer;
  const auto parent = exchange.header("traceparent");
  enter(exchange, parent ? tracer.begin(*parent, exchange.header("tracestate")) : tracer.begin(),
        begin);
} catch (const std::exception&) {
  // The request is more important than its trace.
}

/// Ends a span together with a stream.
void end_with_stream(SpanRecord& span, const SharedTrace& trace) {
  span.end = steady_clock::now();
  trace->end(std::move(span));
}

void end_later(OutgoingResponse& response, SharedTrace trace, SpanRecord span) {
  if (const auto socket = SocketChannel::of(response)) {
    return socket->add_report([trace = std::move(trace), span = std::move(span)](
                                  const SocketChannel::Totals& totals) mutable {
      const int code = totals.reason.code;
      span.set("fairway.socket.close_code", std::int64_t{code});
      if (code == http::websocket::kInternalError) span.fail(std::to_string(code));
      end_with_stream(span, trace);
    });
  }
  EndReports<std::uint64_t>::Report end = [trace = std::move(trace),
                                           span = std::move(span)](std::uint64_t) mutable {
    end_with_stream(span, trace);
  };
  if (const auto events = EventChannel::of(response)) {
    events->add_report(std::move(end));
  } else {
    response.add_report(std::move(end));
  }
}

}  // namespace

// It calls no function in which it would have to return, so that it needs no stack.
[[gnu::noinline]] void begin_trace(Exchange& exchange, steady_clock::time_point now) noexcept {
  if (!exchange.head.fields.may_have("traceparent")) {
    SharedTrace trace = exchange.env.tracer->begin_in_spare();
    if (trace) return enter(exchange, std::move(trace), {now, base::ticks()});
  }
  begin_any_trace(exchange, now);
}

void add_waits(Exchange& exchange) noexcept {
  const RoutePlan* const plan = exchange.plan();
  const auto now = plan != nullptr && plan->begin ? steady_clock::now() : exchange.began;
  const auto queued_since = now - exchange.transaction->queued_for();
  if (plan != nullptr && plan->begin) {
    if (plan->early_wait) add_past_span("cache wait", *plan->begin, queued_since);
    if (plan->session) add_past_span("session read", *plan->begin, queued_since);
  }
  if (queued_since < now) add_past_span("queue", queued_since, now);
}

bool is_slow(const Exchange& exchange) {
  return exchange.env.tracer->is_slow(end_of(exchange) - begin_of(exchange));
}

void end_sent_trace(Exchange& exchange, const std::exception_ptr& error) noexcept try {
  const SharedTrace& trace = exchange.context.span.shared_trace();
  OutgoingResponse& response = exchange.outgoing;
  const int status = response.status;
  RequestSpan span = server_span(exchange, *trace, status, response.freshness.outcome);
  const bool is_later = response.opened || response.arrives_later();
  if (!is_later) span.end = end_of(exchange);
  if (!is_later && status < 500) return trace->end(span);
  SpanRecord record = trace->record_of(span);
  if (status >= 500) record.fail(error ? describe(error).type : std::to_string(status));
  if (!is_later) return trace->end(std::move(record));
  end_later(response, trace, std::move(record));
  trace->flush();
} catch (const std::exception&) {
  // Out of memory: the request is more important than its span.
}

void end_trace_with(Exchange& exchange, int status, std::string_view type) noexcept try {
  const SharedTrace& trace = exchange.context.span.shared_trace();
  if (!trace) return;
  // Its end is now, even if another one is known.
  const auto end = steady_clock::now();
  const Tracer& tracer = *exchange.env.tracer;
  if (!tracer.keeps(*trace, status) && !tracer.is_slow(end - begin_of(exchange))) {
    return trace->drop();
  }
  SpanRecord record = trace->record_of(server_span(exchange, *trace, status, CacheOutcome::none));
  record.fail(type);
  record.end = end;
  trace->end(std::move(record));
} catch (const std::exception&) {
}

}  // namespace fw::detail
