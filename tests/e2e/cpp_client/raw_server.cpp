#include "cpp_client/raw_server.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

#include "support/loopback_address.hpp"

namespace e2e {
namespace {

int listen_on_any_port(int backlog, int& port) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof(address);
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener, backlog) != 0) {
    throw std::runtime_error("no port to listen on");
  }
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  port = ntohs(address.sin_port);
  return listener;
}

bool send_all(int connection, std::string_view text) {
  while (!text.empty()) {
    const auto sent = send(connection, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool is_readable(int descriptor, int milliseconds) {
  pollfd entry{descriptor, POLLIN, 0};
  return poll(&entry, 1, milliseconds) > 0;
}

/// Bytes after the head that the request announces.
std::size_t body_size(std::string_view head) {
  constexpr std::string_view kField = "Content-Length: ";
  const auto at = head.find(kField);
  return at == std::string_view::npos
             ? 0
             : static_cast<std::size_t>(std::atoi(head.data() + at + kField.size()));
}

std::string read_request(int connection) {
  std::string request;
  std::size_t whole = std::string::npos;
  while (request.size() < whole) {
    char buffer[4096];
    const auto count = recv(connection, buffer, sizeof(buffer), 0);
    if (count <= 0) break;
    request.append(buffer, static_cast<std::size_t>(count));
    const auto head = request.find("\r\n\r\n");
    if (head != std::string::npos) whole = head + 4 + body_size(request);
  }
  return request;
}

}  // namespace

RawServer::RawServer(std::vector<std::string> responses)
    : responses_(std::move(responses)), listener_(listen_on_any_port(16, port_)) {
  thread_ = std::thread([this] { serve(); });
}

RawServer::~RawServer() {
  ends_ = true;
  thread_.join();
  close(listener_);
}

std::vector<std::string> RawServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void RawServer::wait_for_requests(std::size_t count) const {
  while (requests().size() < count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void RawServer::serve() {
  for (std::size_t next = 0; !ends_;) {
    if (!is_readable(listener_, 5)) continue;
    const int connection = accept(listener_, nullptr, nullptr);
    std::string request = read_request(connection);
    if (!request.empty()) {
      const std::string& text = responses_[std::min(next++, responses_.size() - 1)];
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(std::move(request));
      }
      respond(connection, text);
    }
    close(connection);
  }
}

void RawServer::respond(int connection, const std::string& text) {
  if (text == kSilence) {
    while (!ends_ && !is_readable(connection, 5)) continue;
  } else if (text == kTrickle) {
    send_all(connection, "HTTP/1.1 200 OK\r\nX-Slow: ");
    while (!ends_ && send_all(connection, "x")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  } else {
    send_all(connection, text);
    shutdown(connection, SHUT_WR);
  }
}

std::string json_response(const std::string& status, const std::string& body,
                          const std::string& head) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\nConnection: close\r\n" +
         head + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

DeafPort::DeafPort(Queue queue) : listener_(listen_on_any_port(0, port_)) {
  if (queue == Queue::empty) return;
  // The first fills the queue; the others get no response.
  const sockaddr_in address = loopback(port_);
  for (int i = 0; i < 4; ++i) {
    const int client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    waiting_.push_back(client);
  }
}

DeafPort::~DeafPort() {
  for (const int client : waiting_) close(client);
  close(listener_);
}

}  // namespace e2e
