// Gives the response of an exchange to the engine: a body, a stream, or the channel of a stream of
// events or a socket.
#pragma once

#include <exception>
#include <memory>

#include "exchange/exchange.hpp"

namespace fw::detail {

/// Sends the response, which is complete but for the body of a stream. `error` is the exception
/// that it reports, or null. A stream keeps the exchange until it ends.
void send_response(const std::shared_ptr<Exchange>& exchange, const std::exception_ptr& error);

/// Whether the response may read the body of the request while it is sent.
bool may_read_while_sent(const OutgoingResponse& response);

/// Logs an error that prevented a response, such as a lack of memory.
void report_incomplete_response(const Environment& env, const std::exception_ptr& error);

}  // namespace fw::detail
