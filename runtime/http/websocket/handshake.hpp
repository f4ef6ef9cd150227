// The handshake of WebSocket (RFC 6455, 4.2).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/adapter.hpp"

namespace fw::http::websocket {

/// Why a request does not open a socket: the status of the response, and a message.
/// `http_version` is the version of the request.
std::optional<RequestError> find_handshake_error(const RequestHead& head,
                                                 std::string_view http_version);

/// Whether a response with the status rejects a request for a socket. Its connection must be
/// closed: a client that has sent frames without waiting could have them read as requests. Routes
/// that ignore the wish send other responses (RFC 9110, 7.8).
bool rejects_handshake(const RequestHead& head, int status);

/// Sec-WebSocket-Accept for a valid Sec-WebSocket-Key.
std::string accept_key(std::string_view key);

}  // namespace fw::http::websocket
