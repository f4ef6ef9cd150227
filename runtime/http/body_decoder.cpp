#include "http/body_decoder.hpp"

#include <algorithm>
#include <charconv>

#include "base/ascii.hpp"
#include "http/field_lines.hpp"

namespace fw::http {
namespace {

/// Maximum total length of the chunk extensions, leading zeros of chunk sizes and trailers of a
/// body. They are not used.
constexpr std::size_t kMaxOverhead = 16 * 1024;

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

bool take_token(std::string_view& text) {
  const auto size = static_cast<std::size_t>(
      std::find_if_not(text.begin(), text.end(), base::is_token_character) - text.begin());
  text.remove_prefix(size);
  return size > 0;
}

/// Consumes the rest of a quoted string after the opening quote.
bool take_quoted_rest(std::string_view& text) {
  while (!text.empty()) {
    if (take(text, '"')) return true;
    if (take(text, '\\') && text.empty()) return false;
    text.remove_prefix(1);
  }
  return false;
}

/// Whether a string consists of valid chunk extensions (RFC 9112, 7.1.1). They are ignored, but
/// recipients that disagree about the end of an invalid one would disagree about the begin of the
/// chunk.
bool are_extensions(std::string_view text) {
  if (!is_field_value(text)) return false;
  while (!text.empty()) {
    skip_blanks(text);
    if (!take(text, ';')) return false;
    skip_blanks(text);
    if (!take_token(text)) return false;
    const auto after_name = text;
    skip_blanks(text);
    if (!take(text, '=')) {
      text = after_name;
      continue;
    }
    skip_blanks(text);
    if (!(take(text, '"') ? take_quoted_rest(text) : take_token(text))) return false;
  }
  return true;
}

/// Consumes a line of `input`, and returns it without its CRLF. `malformed` for a bare LF or an
/// endless line.
BodyDecoder::Status take_line(std::string_view& input, std::string_view& line) {
  const auto newline = input.find('\n');
  if (newline == std::string_view::npos) {
    return input.size() > kMaxOverhead ? BodyDecoder::Status::malformed
                                       : BodyDecoder::Status::need_more;
  }
  if (newline == 0 || newline > kMaxOverhead || input[newline - 1] != '\r') {
    return BodyDecoder::Status::malformed;
  }
  line = input.substr(0, newline - 1);
  input.remove_prefix(newline + 1);
  return BodyDecoder::Status::complete;
}

}  // namespace

BodyDecoder::BodyDecoder(const Framing& framing, std::uint64_t limit)
    : state_(framing.chunked ? State::chunk_size : State::length_data),
      remaining_(framing.content_length.value_or(0)),
      limit_(limit) {
  if (!framing.has_body()) state_ = State::done;
}

BodyDecoder::Status BodyDecoder::decode(std::string_view& input, std::string* content) {
  if (state_ == State::length_data && remaining_ > limit_) return Status::too_large;
  auto status = Status::complete;
  while (state_ != State::done && status == Status::complete) {
    switch (state_) {
      case State::length_data:
      case State::chunk_data:
        status = decode_data(input, content);
        break;
      case State::chunk_size:
        status = decode_chunk_size(input);
        break;
      case State::chunk_end:
        status = decode_chunk_end(input);
        break;
      case State::trailer:
        status = decode_trailer(input);
        break;
      case State::done:
        break;
    }
  }
  return status;
}

BodyDecoder::Status BodyDecoder::decode_data(std::string_view& input, std::string* content) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, input.size()));
  if (content != nullptr) content->append(input.data(), size);
  input.remove_prefix(size);
  remaining_ -= size;
  received_ += size;
  if (remaining_ > 0) return Status::need_more;
  if (state_ == State::length_data) {
    state_ = State::done;
  } else {
    state_ = State::chunk_end;
  }
  return Status::complete;
}

BodyDecoder::Status BodyDecoder::decode_chunk_size(std::string_view& input) {
  std::string_view line;
  const auto status = take_line(input, line);
  if (status != Status::complete) return status;
  std::uint64_t size = 0;
  const auto* end = line.data() + line.size();
  const auto result = std::from_chars(line.data(), end, size, 16);
  if (result.ec != std::errc{}) return Status::malformed;
  const auto extension = line.substr(static_cast<std::size_t>(result.ptr - line.data()));
  if (!are_extensions(extension)) return Status::malformed;
  const auto digits = line.substr(0, line.size() - extension.size());
  overhead_ += extension.size() + std::min(digits.find_first_not_of('0'), digits.size() - 1);
  if (overhead_ > kMaxOverhead) return Status::malformed;
  if (size > limit_ - received_) return Status::too_large;
  remaining_ = size;
  state_ = size == 0 ? State::trailer : State::chunk_data;
  return Status::complete;
}

BodyDecoder::Status BodyDecoder::decode_chunk_end(std::string_view& input) {
  if (!input.empty() && input[0] != '\r') return Status::malformed;
  if (input.size() < 2) return Status::need_more;
  if (input[1] != '\n') return Status::malformed;
  input.remove_prefix(2);
  state_ = State::chunk_size;
  return Status::complete;
}

BodyDecoder::Status BodyDecoder::decode_trailer(std::string_view& input) {
  std::string_view line;
  const auto status = take_line(input, line);
  if (status != Status::complete) return status;
  if (line.empty()) {
    state_ = State::done;
    return Status::complete;
  }
  overhead_ += line.size();
  Fields ignored;
  const auto error = parse_field_lines({line.data(), line.size() + 2}, 1, ignored);
  return error || overhead_ > kMaxOverhead ? Status::malformed : Status::complete;
}

std::optional<BodyStatus> final_status(BodyDecoder::Status status) {
  switch (status) {
    case BodyDecoder::Status::complete:
      return BodyStatus::complete;
    case BodyDecoder::Status::too_large:
      return BodyStatus::too_large;
    case BodyDecoder::Status::malformed:
      return BodyStatus::malformed;
    case BodyDecoder::Status::need_more:
      break;
  }
  return std::nullopt;
}

}  // namespace fw::http
