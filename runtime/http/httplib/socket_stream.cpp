#include "http/httplib/socket_stream.hpp"

#include <algorithm>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <utility>

namespace fw::http {
namespace {

/// The pace of a client is looked at after so many bytes.
constexpr std::size_t kWrittenAtOnce = 64 * 1024;
/// What a client may still send, and for how long, once the connection is to end.
constexpr std::size_t kMaxDrained = 1024 * 1024;
constexpr std::int64_t kMaxDrainTime = 2'000;

}  // namespace

SocketStream::SocketStream(FileDescriptor socket, const AdapterOptions& options)
    : socket_(std::move(socket)), options_(options), remote_address_(peer_address(fd())) {
  fcntl(fd(), F_SETFD, FD_CLOEXEC);
  // httplib sends head and body one after the other. Without an effect on a unix socket.
  const int one = 1;
  setsockopt(fd(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

bool SocketStream::wait_for_request(std::chrono::milliseconds timeout) {
  is_head_ = true;
  head_.clear();
  read_ = 0;
  read_since_ = coarse_now();
  if (begin_ < end_) return true;
  if (!http::wait_readable(fd(), timeout) || !receive_more()) return false;
  read_since_ = coarse_now();
  return true;
}

std::string_view SocketStream::field_lines() const {
  const auto begin = head_.find("\r\n") + 2;
  return std::string_view(head_).substr(begin, head_.size() - begin - 2);
}

void SocketStream::begin_body() {
  is_head_ = false;
  read_ = 0;
  read_since_ = coarse_now();
}

void SocketStream::begin_response() {
  written_ = 0;
  written_since_ = coarse_now();
}

void SocketStream::close_gently() {
  ::shutdown(fd(), SHUT_WR);
  const auto deadline = coarse_now() + kMaxDrainTime;
  std::size_t drained = 0;
  while (drained < kMaxDrained) {
    const std::chrono::milliseconds left(deadline - coarse_now());
    if (left.count() <= 0 || !http::wait_readable(fd(), left)) break;
    const auto received = receive(fd(), input_);
    if (received.status == IoStatus::closed) break;
    drained += received.size;
  }
  socket_.close();
}

void SocketStream::reset() {
  const linger at_once{1, 0};
  setsockopt(fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  socket_.close();
}

bool SocketStream::is_readable() const {
  return begin_ < end_ || http::wait_readable(fd(), std::chrono::milliseconds(0));
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

bool SocketStream::receive_more() {
  while (failure_ == Failure::none) {
    const auto received = receive(fd(), input_);
    if (received.status == IoStatus::done) {
      begin_ = 0;
      end_ = received.size;
      return true;
    }
    const std::chrono::milliseconds left(read_deadline() - coarse_now());
    if (received.status == IoStatus::closed) {
      failure_ = Failure::closed;
    } else if (left.count() <= 0) {
      failure_ = Failure::timed_out;
    } else {
      http::wait_readable(fd(), left);
    }
  }
  return false;
}

std::int64_t SocketStream::read_deadline() const {
  if (is_head_) return read_since_ + options_.headers_timeout.count();
  return read_since_ + std::min<std::int64_t>(options_.request_timeout.count(),
                                              options_.min_data_rate.longest(read_));
}

ssize_t SocketStream::write(const char* data, size_t size) {
  std::string_view rest(data, size);
  while (!rest.empty()) {
    const auto piece = rest.substr(0, kWrittenAtOnce);
    const std::chrono::milliseconds left(written_since_ + options_.min_data_rate.longest(written_) -
                                         coarse_now());
    if (!send_all(fd(), piece, options_.send_timeout, left)) {
      failure_ = Failure::closed;
      return -1;
    }
    written_ += piece.size();
    rest.remove_prefix(piece.size());
  }
  return static_cast<ssize_t>(size);
}

void SocketStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip = remote_address_;
  port = 0;
}

void SocketStream::get_local_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}

}  // namespace fw::http
