// Turns whatever was thrown into the answer (reference: Errors).
#pragma once

#include <exception>

#include "exchange/exchange.hpp"

namespace fw::detail {

/// Logs the error as configured and answers with its body, unless an answer has been given already.
void answer_error(Exchange& exchange, const std::exception_ptr& error);

/// Answers with an error body: as JSON, or during development as a page for clients that accept
/// HTML. `error` is what stands behind it, if an exception does.
void answer_error_body(Exchange& exchange, int status, Json body,
                       const std::exception_ptr& error = nullptr);

/// What described the answer that did not come about must not describe the one of an error.
void remove_content_fields(http::Fields& fields);

/// `{code, message, requestId}`: the body of an answer that no exception stands behind.
Json plain_error_body(int status, std::string_view message, std::string_view request_id);

}  // namespace fw::detail
