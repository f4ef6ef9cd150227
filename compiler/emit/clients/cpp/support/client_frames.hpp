namespace detail {

/// Kinds of frames of WebSocket (RFC 6455, 5.2).
enum class Opcode : std::uint8_t {
  continuation = 0,
  text = 1,
  binary = 2,
  close = 8,
  ping = 9,
  pong = 10
};

/// A close frame has room for these bytes beside its code.
inline constexpr std::size_t kMaxCloseReason = 123;

inline void append_big_endian(std::string& out, std::uint64_t number, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(number >> (8 * i) & 0xFFU);
}

/// A whole message, or a control frame, as clients send it: masked with a random number.
inline std::string masked_frame(Opcode opcode, std::string_view payload) {
  constexpr std::uint64_t kMasked = 0x80;
  thread_local std::random_device random;
  std::string frame;
  frame.reserve(payload.size() + 14);
  frame += static_cast<char>(0x80U | static_cast<unsigned>(opcode));
  if (payload.size() < 126) {
    append_big_endian(frame, kMasked | payload.size(), 1);
  } else if (payload.size() <= 0xFFFF) {
    append_big_endian(frame, kMasked | 126U, 1);
    append_big_endian(frame, payload.size(), 2);
  } else {
    append_big_endian(frame, kMasked | 127U, 1);
    append_big_endian(frame, payload.size(), 8);
  }
  std::string mask;
  append_big_endian(mask, random(), 4);
  frame += mask;
  for (std::size_t i = 0; i < payload.size(); ++i) {
    frame += static_cast<char>(payload[i] ^ mask[i % 4]);
  }
  return frame;
}

/// Without a code for 1005, which means that there is none.
inline std::string close_frame(int code, std::string_view reason = {}) {
  std::string payload;
  if (code != 1005) append_big_endian(payload, static_cast<std::uint64_t>(code), 2);
  payload += reason;
  return masked_frame(Opcode::close, payload);
}

inline bool is_utf8(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    const auto length = static_cast<unsigned char>(*at) < 0x80 ? 1 : utf8_sequence(at, end);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

/// Reads the frames of a service, which are not masked, into messages.
class FrameReader {
 public:
  enum class Event { none, message, ping, pong, close, failed };

  explicit FrameReader(std::size_t max_message) : max_message_(max_message) {}

  /// Reads up to the next event, and removes what was read from `input`.
  Event read(std::string_view& input) {
    while (!input.empty()) {
      if (!has_head_) {
        head_ += input.front();
        input.remove_prefix(1);
        if (head_.size() < head_size()) continue;
        if (!begin_frame()) return Event::failed;
        has_head_ = true;
      }
      std::string& target = is_control() ? payload_ : message_;
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size()));
      target += input.substr(0, size);
      input.remove_prefix(size);
      left_ -= size;
      if (left_ > 0) continue;
      has_head_ = false;
      head_.clear();
      if (const Event event = end_frame(); event != Event::none) return event;
    }
    return Event::none;
  }

  std::string take_message() { return std::exchange(message_, {}); }
  bool is_text() const { return is_text_; }
  /// Of a ping, or the reason of a close frame or of an error.
  const std::string& payload() const { return payload_; }
  /// Of a close frame, or with which an error closes the socket.
  int code() const { return code_; }

 private:
  static constexpr unsigned kFinal = 0x80;

  unsigned byte(std::size_t index) const { return static_cast<unsigned char>(head_[index]); }
  Opcode opcode() const { return static_cast<Opcode>(first_ & 0x0FU); }
  bool is_control() const { return opcode() >= Opcode::close; }
  std::size_t head_size() const {
    if (head_.size() < 2) return 2;
    const unsigned length = byte(1) & 0x7FU;
    return length < 126 ? 2 : length == 126 ? 4 : 10;
  }

  bool begin_frame() {
    first_ = byte(0);
    left_ = byte(1) & 0x7FU;
    if (head_.size() > 2) {
      left_ = 0;
      for (std::size_t i = 2; i < head_.size(); ++i) left_ = left_ << 8U | byte(i);
    }
    const bool is_known = opcode() <= Opcode::binary || (is_control() && opcode() <= Opcode::pong);
    const bool is_masked = (byte(1) & 0x80U) != 0;
    if ((first_ & 0x70U) != 0 || is_masked || !is_known) return fail(1002, "a frame is not valid");
    if (is_control()) {
      payload_.clear();
      if ((first_ & kFinal) == 0 || left_ > 125) return fail(1002, "a control frame is too long");
      return true;
    }
    if ((opcode() == Opcode::continuation) != is_unfinished_) {
      return fail(1002, "a frame has no message");
    }
    if (!is_unfinished_) is_text_ = opcode() == Opcode::text;
    is_unfinished_ = true;
    if (left_ > max_message_ || message_.size() > max_message_ - left_) {
      return fail(1009, "a message has more than " + std::to_string(max_message_) + " bytes");
    }
    return true;
  }

  Event end_frame() {
    switch (opcode()) {
      case Opcode::close:
        return end_close();
      case Opcode::ping:
        return Event::ping;
      case Opcode::pong:
        return Event::pong;
      default:
        break;
    }
    if ((first_ & kFinal) == 0) return Event::none;
    is_unfinished_ = false;
    if (is_text_ && !is_utf8(message_)) {
      fail(1007, "a text is not UTF-8");
      return Event::failed;
    }
    return Event::message;
  }

  Event end_close() {
    code_ = 1005;
    if (payload_.empty()) return Event::close;
    if (payload_.size() > 1) {
      const auto at = [this](std::size_t index) {
        return static_cast<unsigned char>(payload_[index]);
      };
      code_ = at(0) << 8 | at(1);
    }
    const bool is_valid = (code_ >= 1000 && code_ <= 1003) || (code_ >= 1007 && code_ <= 1014) ||
                          (code_ >= 3000 && code_ <= 4999);
    payload_.erase(0, 2);
    if (is_valid && is_utf8(payload_)) return Event::close;
    fail(1002, "a close frame is not valid");
    return Event::failed;
  }

  bool fail(int code, std::string reason) {
    code_ = code;
    payload_ = std::move(reason);
    return false;
  }

  const std::size_t max_message_;
  std::string head_;
  unsigned first_ = 0;  ///< byte of the frame
  bool has_head_ = false;
  std::uint64_t left_ = 0;      ///< bytes of the payload
  bool is_unfinished_ = false;  ///< the message
  bool is_text_ = false;
  std::string message_;
  std::string payload_;
  int code_ = 0;
};

}  // namespace detail
