#include "http/response_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <utility>

namespace fw::http {
namespace {

constexpr std::size_t kPartSize = 64 * 1024;
constexpr std::size_t kChunkHead = 18;  // a size of up to 16 digits and CR LF
constexpr std::string_view kLastChunk = "0\r\n\r\n";

using Buffer = std::array<char, kChunkHead + kPartSize + 2>;

/// The buffer in which this thread builds parts. Streams that wait for their clients need none.
Buffer& part_buffer() {
  thread_local const auto buffer = std::make_unique<Buffer>();
  return *buffer;
}

/// Adds the framing around content that is already in the buffer.
std::string_view frame_chunk(Buffer& buffer, std::size_t size) {
  const auto head = fmt::format("{:x}\r\n", size);
  char* const begin = buffer.data() + kChunkHead - head.size();
  head.copy(begin, head.size());
  buffer[kChunkHead + size] = '\r';
  buffer[kChunkHead + size + 1] = '\n';
  return {begin, head.size() + size + 2};
}

}  // namespace

ResponseStream::ResponseStream(BodyEnd end, std::optional<std::uint64_t> length,
                               BodyProducer produce, std::function<void()> before_last,
                               StreamEnd ended)
    : end_(end),
      remaining_(length),
      produce_(std::move(produce)),
      before_last_(std::move(before_last)),
      ended_(std::move(ended)) {}

ResponseStream::ResponseStream(FilePart file, std::function<void()> before_last, StreamEnd ended)
    : end_(BodyEnd::length),
      remaining_(file.size),
      file_(std::move(file)),
      before_last_(std::move(before_last)),
      ended_(std::move(ended)) {}

void ResponseStream::report_end() noexcept {
  if (const auto ended = std::exchange(ended_, nullptr)) ended(error_);
}

void ResponseStream::before_file_bytes(std::uint64_t size) {
  if (size == remaining_) before_last_();
}

void ResponseStream::count_file_bytes(std::uint64_t sent) {
  file_->begin += sent;
  file_->size -= sent;
  if ((*remaining_ -= sent) == 0) state_ = State::complete;
}

void ResponseStream::break_off() {
  error_ = std::make_exception_ptr(
      std::runtime_error("the source of a streamed response became shorter while it was sent"));
  state_ = State::broken;
}

void ResponseStream::read_file() {
  produce_ = [part = *std::exchange(file_, std::nullopt)](std::span<char> buffer) mutable {
    return read_next(part, buffer);
  };
}

ResponseStream::ResponseStream(BodyEnd end, std::shared_ptr<PushedBody> body,
                               std::function<void()> before_last)
    : end_(end),
      remaining_(body->length()),
      pushed_(std::move(body)),
      before_last_(std::move(before_last)) {}

ResponseStream::~ResponseStream() {
  report_end();
  if (pushed_) pushed_->end(state_ == State::complete);
}

std::string_view ResponseStream::next_pushed() {
  if (state_ != State::more && state_ != State::waiting) return {};
  if (remaining_ == 0) return finish(State::complete, {});
  auto& buffer = part_buffer();
  // The last chunk may follow the part.
  const std::size_t room = std::min(pushed_->part_size(), kPartSize - kLastChunk.size());
  const auto part = pushed_->take(std::span(buffer).subspan(kChunkHead, room));
  if (!part) return finish(State::broken, {});
  const auto [size, is_last] = *part;
  state_ = size == 0 && !is_last ? State::waiting : State::more;
  if (remaining_) {
    // A client must not take a part for the whole body, nor other bytes for the next response.
    if (size > *remaining_) return finish(State::broken, {});
    *remaining_ -= size;
    if (is_last && *remaining_ > 0) return finish(State::broken, {});
  }
  const bool is_chunked = end_ == BodyEnd::chunked;
  std::string_view bytes(buffer.data() + kChunkHead, size);
  if (is_chunked && size > 0) bytes = frame_chunk(buffer, size);
  if (remaining_ == 0) return finish(State::complete, bytes);
  if (!is_last) return bytes;
  if (!is_chunked) return finish(State::complete, bytes);
  if (size == 0) return finish(State::complete, kLastChunk);
  kLastChunk.copy(buffer.data() + (bytes.data() - buffer.data()) + bytes.size(), kLastChunk.size());
  return finish(State::complete, {bytes.data(), bytes.size() + kLastChunk.size()});
}

std::string_view ResponseStream::heartbeat() const {
  auto& buffer = part_buffer();
  const std::string_view text = pushed_->heartbeat();
  if (text.empty()) return {};  // an empty chunk would end the body
  const auto size = text.copy(buffer.data() + kChunkHead, kPartSize);
  if (end_ == BodyEnd::chunked) return frame_chunk(buffer, size);
  return {buffer.data() + kChunkHead, size};
}

std::string_view ResponseStream::next() {
  if (pushed_) return next_pushed();
  if (state_ != State::more) return {};
  if (remaining_ == 0) return finish(State::complete, {});
  auto& buffer = part_buffer();
  auto room = std::span(buffer).subspan(kChunkHead, kPartSize);
  if (remaining_ && *remaining_ < room.size()) {
    room = room.first(static_cast<std::size_t>(*remaining_));
  }
  std::size_t size = 0;
  try {
    size = std::min(produce_(room), room.size());
  } catch (...) {
    error_ = std::current_exception();
    report_end();  // before the disconnect that this causes, so that it is not taken for its cause
    return finish(State::broken, {});
  }
  if (size == 0) {
    return finish(remaining_ ? State::broken : State::complete,
                  end_ == BodyEnd::chunked ? kLastChunk : std::string_view());
  }
  if (end_ == BodyEnd::chunked) return frame_chunk(buffer, size);
  const std::string_view bytes(room.data(), size);
  if (remaining_ && (*remaining_ -= size) == 0) return finish(State::complete, bytes);
  return bytes;
}

std::string_view ResponseStream::finish(State state, std::string_view last) {
  state_ = state;
  if (state == State::complete) before_last_();
  return last;
}

}  // namespace fw::http
