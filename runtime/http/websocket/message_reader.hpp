// Reads the messages of a client from the bytes of its connection (RFC 6455, 5 to 8).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/utf8.hpp"
#include "http/buffer_budget.hpp"
#include "http/websocket/frames.hpp"

namespace fw::http::websocket {

/// Masked frames become messages; fragments are joined, compressed messages decompressed, and the
/// rules of the protocol are checked as soon as a byte breaks one. In memory is the message that is
/// arriving, which has a bound.
class MessageReader {
 public:
  /// `may_be_compressed`: permessage-deflate was agreed on.
  MessageReader(std::size_t max_message, bool may_be_compressed)
      : max_message_(max_message), may_be_compressed_(may_be_compressed) {}

  enum class Event : std::uint8_t {
    none,     ///< the rest of a frame is missing
    message,  ///< see `take_message` and `is_text`
    ping,     ///< see `payload`
    pong,
    close,  ///< see `code` and `payload`, which is the reason
    failed  ///< the client breaks a rule: see `code` and `payload`. The last event
  };
  /// Reads up to the end of the next event, and removes what was read from `input`.
  Event read(std::string_view& input);

  std::string take_message() { return std::move(message_); }
  bool is_text() const { return is_text_; }
  std::string_view payload() const { return control_; }
  int code() const { return code_; }
  /// Whether a message or a frame has begun and is not complete.
  bool is_unfinished() const { return head_size_ > 0 || is_in_message_; }
  /// Bytes of the message that is arriving.
  std::size_t received() const { return is_in_message_ ? message_.size() : 0; }
  /// Its memory.
  std::size_t buffered() const { return is_in_message_ ? message_.capacity() : 0; }
  /// Frees it. Nothing may be read any more.
  void discard() {
    is_in_message_ = false;
    free_memory(message_);
  }
  /// Frees it, and keeps nothing of the messages from now on: they are empty.
  void drop_messages() {
    drops_messages_ = true;
    free_memory(message_);
  }

 private:
  /// Frames that add nothing to a message, of which it may have so many.
  static constexpr std::size_t kMaxEmptyFragments = 128;

  bool take_head(std::string_view& input);
  bool begin_frame();
  bool begin_data_frame(Opcode opcode, bool is_compressed);
  bool add_payload(std::string_view& input);
  Event end_frame();
  Event end_message();
  Event end_close();
  bool fail(int code, std::string_view reason);

  const std::size_t max_message_;
  std::uint64_t rest_ = 0;  ///< bytes of the payload
  std::string message_;
  std::string control_;
  int code_ = kNoCode;

  // In this order, so that thousands of sockets have no gaps.
  std::array<char, 4> mask_{};
  std::uint16_t empty_fragments_ = 0;
  std::array<unsigned char, 14> head_{};
  std::uint8_t head_size_ = 0;  ///< bytes of the head that have arrived
  std::uint8_t mask_at_ = 0;
  Opcode opcode_ = Opcode::text;   ///< of the frame
  bool is_in_payload_ = false;     ///< the head is complete
  bool is_final_ = false;          ///< of the frame
  bool is_control_frame_ = false;  ///< of the frame
  const bool may_be_compressed_;
  bool drops_messages_ = false;
  bool is_in_message_ = false;
  bool is_text_ = false;
  bool is_compressed_ = false;
  base::Utf8Validator utf8_;
};

}  // namespace fw::http::websocket
