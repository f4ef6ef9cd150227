// Converts exceptions to error responses (docs/errors.md).
#pragma once

#include <fairway/errors.hpp>

#include <exception>
#include <string>
#include <string_view>

#include "exchange/exchange.hpp"

namespace fw::detail {

/// Logs the error as configured and responds with its body, unless there already is a response.
void respond_with_error(Exchange& exchange, const std::exception_ptr& error);

/// Responds with an error body: as JSON, or in development as a page for clients that accept HTML.
/// `error` is the exception that caused it; may be null.
void respond_with_error_body(Exchange& exchange, int status, Json body,
                             const std::exception_ptr& error = nullptr);

/// The 500 for a request whose error response has failed, too, or for which there is no memory.
void respond_without_hooks(Exchange& exchange);

/// The 504 of a route whose time is over. It was sent at the deadline, and `log_deadline` has
/// logged it.
class DeadlinePassed : public HttpError {
 public:
  DeadlinePassed();
};

/// Whether an error may have a line in the log. A store that is down fails every request that needs
/// it, so that its errors have one line a second.
bool may_log(const Environment& env, const std::exception_ptr& error);

bool is_deadline(const std::exception_ptr& error);
/// Logs the 504 of the exchange as configured. May be called while the handler runs.
void log_deadline(const Exchange& exchange);

/// Removes the fields that describe a body.
void remove_body_fields(http::Fields& fields);
/// Whether `remove_body_fields` removes a field of that name.
bool is_body_field(std::string_view name);

/// Drops representation headers that were set for the abandoned response.
void remove_content_fields(http::Fields& fields);
/// Whether there are such fields.
bool has_content_fields(const http::Fields& fields);

/// `{code, message, requestId}`: the body of a response that no exception caused.
Json plain_error_body(int status, std::string_view message, std::string_view request_id);
/// The same as text.
std::string plain_error_text(int status, std::string_view message, std::string_view request_id);

}  // namespace fw::detail
