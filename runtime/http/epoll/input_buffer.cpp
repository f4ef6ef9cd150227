#include "http/epoll/input_buffer.hpp"

#include <memory>
#include <span>

namespace fw::http {
namespace {

/// Buffers with a larger capacity are freed between requests, and count as buffered memory.
constexpr std::size_t kKeptCapacity = 16 * 1024;

/// The receive buffer of this thread; idle connections need none.
std::span<char> receive_buffer() {
  // Not zeroed, so that only the pages that were used take memory.
  thread_local const auto buffer =
      std::make_unique_for_overwrite<char[]>(InputBuffer::kReceiveSize);
  return {buffer.get(), InputBuffer::kReceiveSize};
}

}  // namespace

void InputBuffer::consume(std::size_t size) {
  begin_ += size;
  if (begin_ < bytes_.size()) return;
  bytes_.clear();
  begin_ = 0;
  if (bytes_.capacity() > kKeptCapacity) bytes_.shrink_to_fit();
  share_.release();
}

void InputBuffer::free_spare() {
  if (bytes_.empty()) free_memory(bytes_);
}

IoStatus InputBuffer::receive(Transport& transport, bool peer_closed, std::size_t most) {
  const auto buffer = receive_buffer().first(most);
  const auto received = transport.receive(buffer);
  // A short read means that the socket is empty; only an end of stream can follow without an event.
  may_have_more_ = transport.has_more_input() || (received.status == IoStatus::done &&
                                                  (received.size == buffer.size() || peer_closed));
  if (received.status != IoStatus::done) return received.status;
  if (begin_ > 0) {
    bytes_.erase(0, begin_);
    begin_ = 0;
  }
  bytes_.append(buffer.data(), received.size);
  return IoStatus::done;
}

Received InputBuffer::discard(int fd) { return http::receive(fd, receive_buffer()); }

bool InputBuffer::count_as_waiting() {
  return bytes_.size() <= kKeptCapacity || share_.grow(bytes_.capacity());
}

}  // namespace fw::http
