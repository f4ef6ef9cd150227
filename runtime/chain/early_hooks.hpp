// Emits events of a request before its handler.
#pragma once

#include <fairway/hooks.hpp>

#include "exchange/cancellation.hpp"
#include "exchange/exchange.hpp"

namespace fw::detail {

/// Calls the handlers of the event. If the route has a deadline, none of them begins after it, as
/// no stage does.
template <class Event>
void emit_in_time(Exchange& exchange, Event& event) {
  const Environment& env = exchange.env;
  if (!exchange.route->time_limit()) return env.hooks.emit(event, env.logger);
  const auto is_over = [&exchange] { return exchange.transaction->has_response(); };
  env.hooks.emit(event, env.logger, is_over);
  if (is_over()) throw RequestCancelled();
}

}  // namespace fw::detail
