// Compression of messages: permessage-deflate (RFC 7692). Each message is compressed on its own
// (no_context_takeover in both directions), so that a socket has no state of zlib, which would take
// 300 KB.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fw::http::websocket {

/// What server and client have agreed on.
struct Deflate {
  int window_bits = 15;       ///< of what the server sends
  std::string response = {};  ///< Sec-WebSocket-Extensions
};

/// Whether the build has zlib.
bool has_deflate();

/// The first acceptable offer in Sec-WebSocket-Extensions; nothing if there is none, and in builds
/// without zlib.
std::optional<Deflate> choose_deflate(std::string_view offers);

/// The payload of a compressed message. Throws std::bad_alloc.
std::string compress(std::string_view message, int window_bits);

enum class Decompressed { complete, too_large, malformed };
/// Appends the message, of at most `most` bytes. Throws std::bad_alloc.
Decompressed decompress(std::string_view payload, std::size_t most, std::string& message);

}  // namespace fw::http::websocket
