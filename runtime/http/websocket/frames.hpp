// The frames of WebSocket (RFC 6455, 5 and 7.4): their bytes, and the codes with which they close a
// connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fw::http::websocket {

enum class Opcode : std::uint8_t {
  continuation = 0,
  text = 1,
  binary = 2,
  close = 8,
  ping = 9,
  pong = 10
};

/// Bits of the first byte of a frame, beside the opcode.
inline constexpr unsigned kFinalBit = 0x80;
inline constexpr unsigned kCompressedBit = 0x40;

constexpr bool is_control(Opcode opcode) { return opcode >= Opcode::close; }

inline constexpr std::size_t kMaxControlPayload = 125;
/// What a close frame has beside its code.
inline constexpr std::size_t kMaxCloseReason = kMaxControlPayload - 2;

/// Codes of RFC 6455, 7.4.1, and of its registry.
inline constexpr int kNormalClosure = 1000;
inline constexpr int kGoingAway = 1001;
inline constexpr int kProtocolError = 1002;
inline constexpr int kUnsupportedData = 1003;
inline constexpr int kNoCode = 1005;    ///< never sent: the close frame has none
inline constexpr int kAbnormal = 1006;  ///< never sent: there was no close frame
inline constexpr int kInvalidData = 1007;
inline constexpr int kPolicyViolation = 1008;
inline constexpr int kTooBig = 1009;
inline constexpr int kInternalError = 1011;
inline constexpr int kTryAgainLater = 1013;

/// Whether a close frame may have the code.
constexpr bool may_be_sent(int code) {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
         (code >= 3000 && code <= 4999);
}

/// Appends an unmasked frame, as servers send them, that is a whole message or a control frame.
/// `is_compressed`: `compress` has made the payload.
void append_frame(std::string& out, Opcode opcode, std::string_view payload,
                  bool is_compressed = false);

/// Appends a close frame; without a code for `kNoCode`. The reason must be short enough.
void append_close(std::string& out, int code, std::string_view reason);

}  // namespace fw::http::websocket
