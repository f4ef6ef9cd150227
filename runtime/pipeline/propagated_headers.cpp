// Copies the headers that the outbound client passes on, because it may run after the request has
// ended (docs/fetch.md).
#include <memory>
#include <string>
#include <utility>

#include "base/traceparent.hpp"
#include "chain/stages.hpp"

namespace fw::detail {
namespace {

/// With `tracing`, calls have the trace of the current span.
bool passes_trace_on(const Config& config) {
  return config.fetch.trace_context && !config.tracing.is_enabled();
}

class PropagatedHeaders : public Stage {
 public:
  void run(Exchange& exchange, const NextStages& next) const override {
    auto context = std::make_shared<PropagatedContext>();
    for (const std::string& name : exchange.env.config.fetch.propagate_headers) {
      if (const auto value = exchange.header(name)) {
        context->headers.emplace_back(name, *value);
      }
    }
    if (passes_trace_on(exchange.env.config)) keep_trace(exchange, *context);
    exchange.context.propagated = std::move(context);
    next(exchange);
  }

 private:
  static void keep_trace(Exchange& exchange, PropagatedContext& context) {
    const auto parent = exchange.header("traceparent");
    context.traceparent = base::parse_traceparent(parent.value_or(""));
    if (!context.traceparent) {
      context.traceparent = base::make_traceparent();
      return;
    }
    context.tracestate = base::passed_tracestate(exchange.header("tracestate").value_or(""));
  }
};

}  // namespace

Stages propagated_headers_stage(const StageContext& context) {
  const FetchConfig& config = context.env.config.fetch;
  if (config.propagate_headers.empty() && !passes_trace_on(context.env.config)) return {};
  return one_stage<PropagatedHeaders>();
}

}  // namespace fw::detail
