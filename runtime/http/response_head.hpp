// Writes the head of a response.
#pragma once

#include <fairway/text_writer.hpp>

#include <cstdint>
#include <string_view>

#include "http/adapter.hpp"

namespace fw::http {

/// The interim response for clients that expect it before they send the body.
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

/// How the end of a body is marked.
enum class BodyEnd {
  length,            ///< Content-Length
  chunked,           ///< Transfer-Encoding
  connection_close,  ///< for HTTP/1.0 clients if the length is unknown
  no_body,           ///< the status allows none
};

enum class ConnectionField { none, close, keep_alive };

/// Content-Length, Transfer-Encoding and Connection, which only the adapter may set.
bool is_framing_field(std::string_view name);

/// Throws std::invalid_argument for a status or a field that cannot be sent.
void check_response_head(const ResponseHead& head);

/// True if the response itself asks for the connection to close.
bool asks_to_close(const ResponseHead& head);

/// Writes status line and fields, with the empty line; `length` is for BodyEnd::length.
void write_response_head(detail::TextWriter& out, const ResponseHead& head, BodyEnd end,
                         std::uint64_t length, ConnectionField connection);

/// Writes the head of a response with the status 101, with the other fields of `head`.
void write_switch_head(detail::TextWriter& out, const ResponseHead& head,
                       std::string_view protocol);

/// True for the statuses of final responses: 200 to 599.
constexpr bool is_final_status(int status) { return status >= 200 && status <= 599; }

/// False for the statuses that never have a body: 204 and 304.
constexpr bool allows_body(int status) { return status != 204 && status != 304; }

/// False for 205, too: its body must be empty, but has a length (RFC 9110, 15.3.6).
constexpr bool allows_content(int status) { return allows_body(status) && status != 205; }

/// The value of a Date field. Valid until the next call on this thread.
std::string_view current_date();

}  // namespace fw::http
