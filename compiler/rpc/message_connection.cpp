#include "rpc/message_connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace fairway::rpc {
namespace {

constexpr int kFlushTimeout = 1000;  ///< in milliseconds, without progress

bool can_write(int descriptor, int timeout) {
  pollfd entry{.fd = descriptor, .events = POLLOUT, .revents = 0};
  return ::poll(&entry, 1, timeout) > 0;
}

}  // namespace

MessageConnection::MessageConnection(process::EventLoop& loop, int input, int output,
                                     Framing framing, Received received,
                                     std::function<void()> ended)
    : loop_(loop),
      input_(input),
      output_(output),
      framing_(framing),
      received_(std::move(received)),
      ended_(std::move(ended)),
      reader_(framing) {
  watch();
}

MessageConnection::~MessageConnection() {
  is_open_ = false;
  watch();
}

void MessageConnection::close() {
  is_open_ = false;
  watch();
}

/// Watches the descriptors for what has to be done.
void MessageConnection::watch() {
  const auto ready = [this](short events) { this->ready(events); };
  const bool writes = is_open_ && !unsent_.empty();
  if (is_open_) {
    loop_.watch(input_, static_cast<short>(POLLIN | (writes && input_ == output_ ? POLLOUT : 0)),
                ready);
  } else {
    loop_.forget(input_);
  }
  if (input_ == output_) return;
  if (writes) {
    loop_.watch(output_, POLLOUT, ready);
  } else {
    loop_.forget(output_);
  }
}

void MessageConnection::ready(short events) {
  const bool reads = (events & (POLLIN | POLLHUP | POLLERR | POLLNVAL)) != 0;
  const bool works = write_some() && (!reads || read_some());
  watch();
  if (works) return;
  const auto ended = ended_;  // which may destroy this object
  ended();
}

bool MessageConnection::read_some() {
  // The other descriptor may be the one with the event.
  pollfd entry{.fd = input_, .events = POLLIN, .revents = 0};
  if (::poll(&entry, 1, 0) <= 0) return true;
  std::array<char, 65536> bytes;
  const ssize_t size = ::read(input_, bytes.data(), bytes.size());
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (size <= 0) return false;
  reader_.add({bytes.data(), static_cast<std::size_t>(size)});
  while (is_open_) {
    const auto content = reader_.next();
    if (!content) break;
    received_(*content);
  }
  return true;
}

/// A descriptor that can be written takes this number of bytes without waiting.
bool MessageConnection::write_some() {
  while (!unsent_.empty() && can_write(output_, 0)) {
    const ssize_t size =
        ::write(output_, unsent_.data(), std::min<std::size_t>(unsent_.size(), PIPE_BUF));
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size < 0) return false;  // the reader has closed the pipe
    unsent_.erase(0, static_cast<std::size_t>(size));
  }
  return true;
}

void MessageConnection::send(const Json& message) {
  unsent_ += framed(message, framing_);
  // An error is reported when the loop sees it, so that the caller need not expect the end.
  (void)write_some();
  watch();
}

void MessageConnection::flush() {
  while (!unsent_.empty() && can_write(output_, kFlushTimeout) && write_some()) continue;
}

}  // namespace fairway::rpc
