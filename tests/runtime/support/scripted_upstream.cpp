#include "support/scripted_upstream.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "base/ascii.hpp"

namespace fw::support {
namespace {

std::string field_of(std::string_view head, std::string_view name) {
  std::string value;
  base::for_each_token(head, '\n', [&](std::string_view line) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return;
    if (!base::equal_ignoring_case(line.substr(0, colon), name)) return;
    value = base::trim_whitespace(line.substr(colon + 1));
  });
  return value;
}

}  // namespace

bool ScriptedConnection::receive() {
  char buffer[16384];
  const auto count = ::recv(descriptor_, buffer, sizeof buffer, 0);
  if (count <= 0) return false;
  input_.append(buffer, static_cast<std::size_t>(count));
  return true;
}

std::string ScriptedConnection::read_request() {
  std::size_t head_end = 0;
  while ((head_end = input_.find("\r\n\r\n")) == std::string::npos) {
    if (!receive()) return {};
  }
  head_end += 4;
  const std::string head = input_.substr(0, head_end);
  const std::string length = field_of(head, "content-length");
  std::size_t end = head_end + (length.empty() ? 0 : std::stoul(length));
  if (field_of(head, "transfer-encoding") == "chunked") {
    while ((end = input_.find("0\r\n\r\n", head_end)) == std::string::npos) {
      if (!receive()) return {};
    }
    end += 5;
  }
  while (input_.size() < end) {
    if (!receive()) return {};
  }
  std::string request = input_.substr(0, end);
  input_.erase(0, end);
  ++index_;
  return request;
}

std::string ScriptedConnection::read_some() {
  if (input_.empty()) receive();
  return std::exchange(input_, {});
}

bool ScriptedConnection::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const auto sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void ScriptedConnection::respond(int status, std::string_view body, std::string_view fields) const {
  send("HTTP/1.1 " + std::to_string(status) + " Status\r\n" + std::string(fields) +
       "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
}

void ScriptedConnection::wait_for_end() {
  while (receive()) {
  }
}

void ScriptedConnection::limit_unread(int bytes) const {
  setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

void ScriptedConnection::close() const { ::shutdown(descriptor_, SHUT_RDWR); }

void ScriptedConnection::reset() const {
  const linger at_once{1, 0};
  setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

ArrivingRequest::ArrivingRequest(ScriptedConnection& connection) : connection_(connection) {
  std::size_t end = std::string::npos;
  while ((end = part_.find("\r\n\r\n")) == std::string::npos) {
    const std::string bytes = connection_.read_some();
    if (bytes.empty()) return;
    part_ += bytes;
  }
  has_head_ = true;
  const std::string head = part_.substr(0, end);
  const std::size_t target = head.find(' ') + 1;
  path_ = head.substr(target, head.find(' ', target) - target);
  is_chunked_ = head.find("chunked") != std::string::npos;
  const std::size_t at = head.find("ength: ");
  if (at != std::string::npos) length_ = std::stoul(head.substr(at + 7));
  part_.erase(0, end + 4);
  note_part();
}

bool ArrivingRequest::read() {
  part_ = connection_.read_some();
  note_part();
  return !part_.empty();
}

void ArrivingRequest::note_part() {
  arrived_ += part_.size();
  last_ += part_;
  last_.erase(0, last_.size() - std::min<std::size_t>(last_.size(), 5));
}

ScriptedUpstream::ScriptedUpstream(Script script)
    : script_(std::move(script)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener_, 64) != 0) {
    ::close(listener_);
    throw std::runtime_error("no port for the upstream");
  }
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { accept_all(); });
}

ScriptedUpstream::~ScriptedUpstream() {
  ends_ = true;
  thread_.join();
  for (Running& running : running_) {
    ::shutdown(running.descriptor, SHUT_RDWR);
    running.thread.join();
    ::close(running.descriptor);
  }
  ::close(listener_);
}

std::string ScriptedUpstream::url(std::string_view path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + std::string(path);
}

void ScriptedUpstream::accept_all() {
  while (!ends_) {
    running_.remove_if([](Running& running) {
      if (!running.done) return false;
      running.thread.join();
      ::close(running.descriptor);
      return true;
    });
    pollfd entry{.fd = listener_, .events = POLLIN, .revents = 0};
    if (::poll(&entry, 1, 2) <= 0) continue;
    const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor < 0) continue;
    ++connections_;
    Running& running = running_.emplace_back();
    running.descriptor = descriptor;
    running.thread = std::thread([this, &running] {
      ScriptedConnection connection(running.descriptor);
      script_(connection);
      running.done = true;
    });
  }
}

ScriptedUpstream::Script always(std::string response) {
  return [response = std::move(response)](ScriptedConnection& connection) {
    while (!connection.read_request().empty() && connection.send(response)) {
    }
  };
}

}  // namespace fw::support
