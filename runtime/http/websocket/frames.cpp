#include "http/websocket/frames.hpp"

namespace fw::http::websocket {
namespace {

void append_big_endian(std::string& out, std::uint64_t number, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>((number >> (8 * i)) & 0xFFU);
}

}  // namespace

void append_frame(std::string& out, Opcode opcode, std::string_view payload, bool is_compressed) {
  constexpr std::size_t kMaxHead = 10;
  out.reserve(out.size() + kMaxHead + payload.size());
  out += static_cast<char>(kFinalBit | (is_compressed ? kCompressedBit : 0U) |
                           static_cast<unsigned>(opcode));
  if (payload.size() < 126) {
    out += static_cast<char>(payload.size());
  } else if (payload.size() <= 0xFFFF) {
    out += static_cast<char>(126);
    append_big_endian(out, payload.size(), 2);
  } else {
    out += static_cast<char>(127);
    append_big_endian(out, payload.size(), 8);
  }
  out += payload;
}

void append_close(std::string& out, int code, std::string_view reason) {
  std::string payload;
  if (code != kNoCode) {
    append_big_endian(payload, static_cast<std::uint64_t>(code), 2);
    payload += reason;
  }
  append_frame(out, Opcode::close, payload);
}

}  // namespace fw::http::websocket
