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

/// Sec-WebSocket-Accept for a valid Sec-WebSocket-Key.
std::string accept_key(std::string_view key);

}  // namespace fw::http::websocket
