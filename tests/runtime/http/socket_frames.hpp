// Frames of WebSocket as a client sends and reads them, independent of the runtime's code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fw::http::test {

/// The first byte of a frame.
inline constexpr unsigned kFin = 0x80;
inline constexpr unsigned kRsv1 = 0x40;

inline std::string masked_frame(unsigned first, std::string_view payload,
                                std::string_view mask = "\x12\x34\x56\x78") {
  std::string frame(1, static_cast<char>(first));
  const auto put = [&](std::uint64_t number, int bytes) {
    for (int i = bytes - 1; i >= 0; --i) frame += static_cast<char>((number >> (8 * i)) & 0xFFU);
  };
  if (payload.size() < 126) {
    put(0x80 | payload.size(), 1);
  } else if (payload.size() <= 0xFFFF) {
    put(0x80 | 126, 1);
    put(payload.size(), 2);
  } else {
    put(0x80 | 127, 1);
    put(payload.size(), 8);
  }
  frame += mask;
  for (std::size_t i = 0; i < payload.size(); ++i) {
    frame += static_cast<char>(payload[i] ^ mask[i % 4]);
  }
  return frame;
}

inline std::string text_frame(std::string_view text) { return masked_frame(kFin | 1, text); }
inline std::string binary_frame(std::string_view bytes) { return masked_frame(kFin | 2, bytes); }
inline std::string close_frame(int code, std::string_view reason = {}) {
  std::string payload;
  payload += static_cast<char>(code >> 8);
  payload += static_cast<char>(code & 0xFF);
  return masked_frame(kFin | 8, payload + std::string(reason));
}

/// A frame of a server.
struct ServerFrame {
  unsigned first = 0;
  std::string payload = {};

  unsigned opcode() const { return first & 0x0FU; }
  /// Of a close frame; 1005 if it has none.
  int code() const {
    if (payload.size() < 2) return 1005;
    return static_cast<unsigned char>(payload[0]) << 8 | static_cast<unsigned char>(payload[1]);
  }
};

/// Takes the first frame; nothing if it is not complete.
inline std::optional<ServerFrame> take_frame(std::string& bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.size() < 2) return std::nullopt;
  std::uint64_t size = byte(1);
  std::size_t at = 2;
  if (size >= 126) {
    const std::size_t length = size == 126 ? 2 : 8;
    if (bytes.size() < at + length) return std::nullopt;
    size = 0;
    for (std::size_t i = 0; i < length; ++i) size = size << 8U | byte(at++);
  }
  if (bytes.size() < at + size) return std::nullopt;
  ServerFrame frame{byte(0), bytes.substr(at, static_cast<std::size_t>(size))};
  bytes.erase(0, at + static_cast<std::size_t>(size));
  return frame;
}

}  // namespace fw::http::test
