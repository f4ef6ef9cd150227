#include "http/httplib/socket_stream.hpp"

#include <algorithm>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <span>
#include <sys/socket.h>
#include <utility>

namespace fw::http {
namespace {

using std::chrono::milliseconds;

/// Maximum delay in milliseconds until a thread that waits for the client notices a stop or a
/// cut-off.
constexpr std::int64_t kWaitSlice = 50;
/// Maximum pause of a client in milliseconds while the server is stopping.
constexpr std::int64_t kMaxPauseAtStop = 1'000;
/// Maximum number of bytes that are read from a client after the last response.
constexpr std::size_t kMaxDrained = 1024 * 1024;
constexpr std::int64_t kMaxDrainTime = 2'000;

}  // namespace

SocketStream::SocketStream(Transport transport, const AdapterOptions& options,
                           const std::atomic<bool>& is_stopping)
    : transport_(std::move(transport)),
      options_(options),
      is_stopping_(is_stopping),
      remote_address_(peer_address(fd())) {
  fcntl(fd(), F_SETFD, FD_CLOEXEC);
  // Because streams are sent in parts. Has no effect on unix sockets.
  const int one = 1;
  setsockopt(fd(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

bool SocketStream::shake_hands(HandshakeTurns& turns, milliseconds timeout) {
  const auto until = coarse_now() + timeout.count();
  auto status = IoStatus::done;
  bool has_begun = false;
  const auto compute = [&] {
    // Nothing is computed for a client that has gone before.
    const bool is_of_no_use = is_cut_off_ || (!std::exchange(has_begun, true) && has_ended(fd()));
    status = is_of_no_use ? IoStatus::closed : receive();
  };
  while (!transport_.is_established() && !transport_.is_cleartext_for_tls()) {
    if (!wait_for_client(until)) return false;
    if (!turns.run(milliseconds(until - coarse_now()), compute)) return false;
    if (status == IoStatus::closed) return false;
  }
  return true;
}

bool SocketStream::wait_for_request(milliseconds timeout) {
  is_head_ = true;
  head_.clear();
  read_ = 0;
  sent_ = 0;
  waited_for_client_ = 0;
  const auto until = coarse_now() + timeout.count();
  while (begin_ == end_) {
    if (!wait_for_client(until)) return false;
    // A stop shuts the socket down for reading. For OpenSSL, this end would be an error, after
    // which the end of the output could not be announced.
    if (is_stopping_ && !may_have_more_ && !has_unread(fd())) return false;
    if (receive() == IoStatus::closed || is_cut_off_) return false;
  }
  read_since_ = coarse_now();
  return true;
}

/// Waits until something may have arrived. Returns false at that time, on the clock of
/// `coarse_now`.
bool SocketStream::wait_for_client(std::int64_t until) {
  const milliseconds left(until - coarse_now());
  if (left.count() <= 0) return false;
  if (may_have_more_) return true;
  return transport_.waits_for_output() ? http::wait_writable(fd(), left)
                                       : http::wait_readable(fd(), left);
}

void SocketStream::begin_body() {
  is_head_ = false;
  read_ = 0;
  read_since_ = coarse_now();
}

bool SocketStream::skip_body(std::uint64_t size) {
  begin_body();
  while (size > 0) {
    if (begin_ == end_ && !receive_more()) return false;
    const auto skipped = std::min<std::uint64_t>(size, end_ - begin_);
    consume(skipped);
    size -= skipped;
  }
  return true;
}

void SocketStream::consume(std::size_t size) {
  begin_ += size;
  read_ += size;
}

std::size_t SocketStream::send_some(std::string_view bytes) {
  const iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  std::size_t sent = 0;
  transport_.send_some({&part, 1}, sent);
  return sent;
}

bool SocketStream::send(std::string_view bytes) {
  std::int64_t stalled = 0;
  while (!bytes.empty()) {
    std::size_t sent = 0;
    const iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    if (is_cut_off_ || transport_.send_some({&part, 1}, sent) == IoStatus::closed) return false;
    bytes.remove_prefix(sent);
    sent_ += sent;
    if (bytes.empty()) break;
    if (sent > 0) stalled = 0;
    if (stalled >= options_.send_timeout.count() ||
        waited_for_client_ >= options_.min_data_rate.max_duration(sent_)) {
      return false;
    }
    const auto begin = coarse_now();
    http::wait_writable(fd(), milliseconds(kWaitSlice));
    const auto waited = coarse_now() - begin;
    stalled += waited;
    waited_for_client_ += waited;
  }
  return true;
}

void SocketStream::end_output() {
  if (std::exchange(output_has_ended_, true)) return;
  // What announces the end needs room, too.
  const auto deadline = coarse_now() + kMaxDrainTime;
  while (transport_.is_established() && transport_.is_secure() && !is_cut_off_ &&
         coarse_now() < deadline && !http::wait_writable(fd(), milliseconds(kWaitSlice))) {
  }
  transport_.close_output();
  ::shutdown(fd(), SHUT_WR);
}

void SocketStream::close(bool is_whole) {
  if (!is_whole && response_ends_by_close_) {
    const linger at_once{1, 0};
    setsockopt(fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    return;
  }
  if (is_whole) {
    end_output();
  } else {
    ::shutdown(fd(), SHUT_WR);
  }
  const auto deadline = coarse_now() + kMaxDrainTime;
  std::size_t drained = 0;
  while (drained < kMaxDrained && !is_cut_off_) {
    const milliseconds left(deadline - coarse_now());
    if (left.count() <= 0 || !http::wait_readable(fd(), left)) break;
    const auto received = http::receive(fd(), input_);
    if (received.status == IoStatus::closed) break;
    drained += received.size;
  }
}

void SocketStream::cut_off() {
  is_cut_off_ = true;
  ::shutdown(fd(), response_ends_by_close_ ? SHUT_RD : SHUT_RDWR);
}

ssize_t SocketStream::read(char* data, size_t size) {
  if (begin_ == end_ && !receive_more()) return failure_ == Failure::closed ? 0 : -1;
  size = std::min(size, end_ - begin_);
  read_ += size;
  if (is_head_ && read_ > options_.max_header_size) {
    failure_ = Failure::head_too_large;
    return -1;
  }
  std::copy_n(input_.data() + begin_, size, data);
  if (is_head_) head_.append(data, size);
  begin_ += size;
  return static_cast<ssize_t>(size);
}

bool SocketStream::receive_more(std::chrono::steady_clock::time_point until) {
  while (failure_ == Failure::none && buffered() < input_.size()) {
    const auto status = receive();
    const auto left = read_deadline() - coarse_now();
    if (status == IoStatus::closed || reading_has_ended_ || is_cut_off_) {
      failure_ = Failure::closed;
    } else if (left <= 0 || std::chrono::steady_clock::now() >= until) {
      failure_ = Failure::timed_out;
    } else if (status == IoStatus::done) {
      return true;
    } else {
      wait_for_client(coarse_now() + std::min(left, kWaitSlice));
    }
  }
  return false;
}

/// Receives what has arrived, and does not wait. There must be room for it.
IoStatus SocketStream::receive() {
  std::copy(input_.data() + begin_, input_.data() + end_, input_.data());
  end_ -= std::exchange(begin_, 0);
  const auto free = std::span(input_).subspan(end_);
  const auto received = transport_.receive(free);
  end_ += received.size;
  may_have_more_ = received.size == free.size() || transport_.has_more_input();
  if (received.status == IoStatus::done) received_at_ = coarse_now();
  return received.status;
}

std::int64_t SocketStream::read_deadline() const {
  const auto limit = is_head_ ? options_.headers_timeout.count()
                              : std::min<std::int64_t>(options_.request_timeout.count(),
                                                       options_.min_data_rate.max_duration(read_));
  if (!is_stopping_) return read_since_ + limit;
  return std::min(read_since_ + limit, received_at_ + kMaxPauseAtStop);
}

}  // namespace fw::http
