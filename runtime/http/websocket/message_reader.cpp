#include "http/websocket/message_reader.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "http/websocket/permessage_deflate.hpp"

namespace fw::http::websocket {
namespace {

constexpr unsigned kReserved = 0x30;
constexpr unsigned kOpcode = 0x0F;
constexpr unsigned kMasked = 0x80;
constexpr unsigned kLength = 0x7F;

/// XORs the bytes with the mask, beginning with its byte `at`.
void unmask(std::span<char> bytes, std::array<char, 4> mask, std::size_t at) {
  std::array<char, 8> whole{};
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = mask[(at + i) % mask.size()];
  std::uint64_t key = 0;
  std::memcpy(&key, whole.data(), sizeof key);
  std::size_t i = 0;
  for (; i + sizeof key <= bytes.size(); i += sizeof key) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    word ^= key;
    std::memcpy(bytes.data() + i, &word, sizeof word);
  }
  for (; i < bytes.size(); ++i) bytes[i] = static_cast<char>(bytes[i] ^ whole[i % whole.size()]);
}

}  // namespace

bool MessageReader::fail(int code, std::string_view reason) {
  code_ = code;
  control_ = reason;
  discard();
  return false;
}

MessageReader::Event MessageReader::read(std::string_view& input) {
  while (true) {
    if (!is_in_payload_) {
      if (!take_head(input)) return Event::none;
      if (!begin_frame()) return Event::failed;
    }
    if (!add_payload(input)) return Event::failed;
    if (rest_ > 0) return Event::none;
    is_in_payload_ = false;
    head_size_ = 0;
    if (const Event event = end_frame(); event != Event::none) return event;
  }
}

/// Returns false if the head is not complete.
bool MessageReader::take_head(std::string_view& input) {
  const auto take_up_to = [&](std::size_t size) {
    while (head_size_ < size && !input.empty()) {
      head_[head_size_++] = static_cast<unsigned char>(input.front());
      input.remove_prefix(1);
    }
    return head_size_ >= size;
  };
  if (!take_up_to(2)) return false;
  const unsigned length = head_[1] & kLength;
  const std::size_t size = 2U +
                           (length == 127   ? 8U
                            : length == 126 ? 2U
                                            : 0U) +
                           ((head_[1] & kMasked) != 0 ? 4U : 0U);
  return take_up_to(size);
}

/// Returns false if the frame breaks a rule.
bool MessageReader::begin_frame() {
  is_final_ = (head_[0] & kFinalBit) != 0;
  opcode_ = static_cast<Opcode>(head_[0] & kOpcode);
  is_control_frame_ = is_control(opcode_);
  const bool is_compressed = (head_[0] & kCompressedBit) != 0;
  if ((head_[0] & kReserved) != 0) return fail(kProtocolError, "a reserved bit is set");
  if ((head_[1] & kMasked) == 0) return fail(kProtocolError, "a frame is not masked");
  const unsigned short_length = head_[1] & kLength;
  std::size_t at = 2;
  rest_ = short_length;
  if (short_length >= 126) {
    rest_ = 0;
    for (const std::size_t end = at + (short_length == 126 ? 2 : 8); at < end; ++at) {
      rest_ = rest_ << 8U | head_[at];
    }
    const bool is_minimal = short_length == 126 ? rest_ >= 126 : rest_ > 0xFFFF;
    if (!is_minimal || rest_ >> 63U != 0) {
      return fail(kProtocolError, "the length of a frame is malformed");
    }
  }
  std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(at), mask_.size(), mask_.begin());
  mask_at_ = 0;
  is_in_payload_ = true;
  if (!is_control_frame_) return begin_data_frame(opcode_, is_compressed);
  if (opcode_ > Opcode::pong) return fail(kProtocolError, "the opcode of a frame is unknown");
  if (!is_final_ || is_compressed || rest_ > kMaxControlPayload) {
    return fail(kProtocolError, "a control frame is fragmented, compressed or too long");
  }
  control_.clear();
  return true;
}

bool MessageReader::begin_data_frame(Opcode opcode, bool is_compressed) {
  if (opcode > Opcode::binary) return fail(kProtocolError, "the opcode of a frame is unknown");
  const bool continues = opcode == Opcode::continuation;
  if (continues != is_in_message_) {
    return fail(kProtocolError, continues ? "there is no message to continue"
                                          : "a message begins before the end of another one");
  }
  if (is_compressed && (continues || !may_be_compressed_)) {
    return fail(kProtocolError, "a frame must not be compressed");
  }
  if (!continues) {
    is_in_message_ = true;
    is_text_ = opcode == Opcode::text;
    is_compressed_ = is_compressed;
    empty_fragments_ = 0;
    message_.clear();
    utf8_ = {};
  }
  if (rest_ == 0 && !is_final_ && ++empty_fragments_ > kMaxEmptyFragments) {
    return fail(kPolicyViolation, "the message has too many empty fragments");
  }
  // Compressed data may be larger than the message, but not much.
  const std::uint64_t most = is_compressed_ ? 2 * std::uint64_t{max_message_} + 64 : max_message_;
  if (message_.size() + rest_ > most) return fail(kTooBig, "the message is too large");
  return true;
}

/// Returns false if the payload breaks a rule.
bool MessageReader::add_payload(std::string_view& input) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(rest_, input.size()));
  if (size == 0) return true;
  if (drops_messages_ && !is_control_frame_) {
    input.remove_prefix(size);
    rest_ -= size;
    return true;
  }
  std::string& target = is_control_frame_ ? control_ : message_;
  const std::size_t begin = target.size();
  target.append(input.substr(0, size));
  input.remove_prefix(size);
  rest_ -= size;
  const std::span<char> added(target.data() + begin, size);
  unmask(added, mask_, mask_at_);
  mask_at_ = static_cast<std::uint8_t>((mask_at_ + size) % mask_.size());
  const bool is_checked = !is_control_frame_ && is_text_ && !is_compressed_;
  if (!is_checked || utf8_.add({added.data(), added.size()})) return true;
  return fail(kInvalidData, "a text is not UTF-8");
}

MessageReader::Event MessageReader::end_frame() {
  switch (opcode_) {
    case Opcode::ping:
      return Event::ping;
    case Opcode::pong:
      return Event::pong;
    case Opcode::close:
      return end_close();
    default:
      return is_final_ ? end_message() : Event::none;
  }
}

MessageReader::Event MessageReader::end_message() {
  is_in_message_ = false;
  if (drops_messages_) return Event::message;
  if (is_compressed_) {
    std::string content;
    switch (decompress(message_, max_message_, content)) {
      case Decompressed::complete:
        break;
      case Decompressed::too_large:
        fail(kTooBig, "the message is too large");
        return Event::failed;
      case Decompressed::malformed:
        fail(kInvalidData, "a compressed message is malformed");
        return Event::failed;
    }
    message_ = std::move(content);
    utf8_ = {};
    if (is_text_ && !utf8_.add(message_)) {
      fail(kInvalidData, "a text is not UTF-8");
      return Event::failed;
    }
  }
  if (is_text_ && !utf8_.is_complete()) {
    fail(kInvalidData, "a text is not UTF-8");
    return Event::failed;
  }
  return Event::message;
}

MessageReader::Event MessageReader::end_close() {
  code_ = kNoCode;
  if (control_.empty()) return Event::close;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(control_[i]); };
  const int code = control_.size() < 2 ? 0 : byte(0) << 8 | byte(1);
  if (!may_be_sent(code)) {
    fail(kProtocolError, "the close code is not valid");
    return Event::failed;
  }
  control_.erase(0, 2);
  if (!base::count_code_points(control_).well_formed) {
    fail(kInvalidData, "the reason of a close is not UTF-8");
    return Event::failed;
  }
  code_ = code;
  return Event::close;
}

}  // namespace fw::http::websocket
