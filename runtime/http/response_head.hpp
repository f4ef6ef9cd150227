// Writes the head of a response.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/adapter.hpp"

namespace fw::http {

/// What a client that expects it waits for before it sends the body.
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

/// How the end of a response's body is told.
enum class BodyEnd {
  length,            ///< Content-Length
  chunked,           ///< Transfer-Encoding
  connection_close,  ///< for HTTP/1.0 clients when the length is unknown
  no_body,           ///< the status allows none
};

enum class ConnectionField { none, close, keep_alive };

/// The value of a Date field; of this thread, until the next call.
std::string_view current_date();

/// Content-Length, Transfer-Encoding and Connection, which only the adapter can know.
bool is_framing_field(std::string_view name);

/// Throws std::invalid_argument for a status or a field that cannot be sent.
void check_response_head(const ResponseHead& head);

/// True if the response itself asks for the connection to close.
bool asks_to_close(const ResponseHead& head);

/// Appends status line and fields, with the empty line; `length` is for BodyEnd::length.
void append_response_head(std::string& out, const ResponseHead& head, BodyEnd end,
                          std::uint64_t length, ConnectionField connection);

/// True for the statuses that a response can have, which ends its request: 200 to 599.
constexpr bool is_final_status(int status) { return status >= 200 && status <= 599; }

/// False for the statuses that never have a body: 204 and 304.
constexpr bool allows_body(int status) { return status != 204 && status != 304; }

/// The reason phrase of a status; empty for one that is not registered.
std::string_view reason_phrase(int status);

}  // namespace fw::http
