#include "cpp_client/socket_server.hpp"

#include <algorithm>
#include <cstdint>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "support/loopback_address.hpp"

namespace e2e {
namespace {

unsigned byte(std::string_view bytes, std::size_t index) {
  return static_cast<unsigned char>(bytes[index]);
}

bool is_readable(int descriptor) {
  pollfd entry{descriptor, POLLIN, 0};
  return poll(&entry, 1, 5) > 0;
}

}  // namespace

int ClientFrame::code() const {
  if (payload.size() < 2) return 1005;
  return static_cast<int>(byte(payload, 0) << 8U | byte(payload, 1));
}

SocketPeer::~SocketPeer() { ::close(fd_); }

bool SocketPeer::receive() {
  while (!is_readable(fd_)) {
    if (ends_) return false;
  }
  char buffer[64 * 1024];
  const auto count = recv(fd_, buffer, sizeof buffer, 0);
  if (count <= 0) return false;
  input_.append(buffer, static_cast<std::size_t>(count));
  return true;
}

bool SocketPeer::read_request() {
  std::size_t end = 0;
  while ((end = input_.find("\r\n\r\n")) == std::string::npos) {
    if (!receive()) return false;
  }
  request_ = input_.substr(0, end + 4);
  input_.erase(0, end + 4);
  return true;
}

std::string SocketPeer::accept() const {
  constexpr std::string_view kField = "Sec-WebSocket-Key: ";
  const auto at = request_.find(kField) + kField.size();
  const std::string text =
      request_.substr(at, request_.find("\r\n", at) - at) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  unsigned char digest[SHA_DIGEST_LENGTH];
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  unsigned char encoded[64];
  const int size = EVP_EncodeBlock(encoded, digest, SHA_DIGEST_LENGTH);
  return {reinterpret_cast<char*>(encoded), static_cast<std::size_t>(size)};
}

void SocketPeer::open(const std::string& head, const std::string& frames) {
  send(
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\nconnection: Upgrade\r\n"
      "sec-websocket-accept: " +
      accept() + "\r\n" + head + "\r\n" + frames);
}

void SocketPeer::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    pollfd entry{fd_, POLLOUT, 0};
    if (ends_ || (poll(&entry, 1, 5) > 0 && (entry.revents & (POLLERR | POLLHUP)) != 0)) return;
  }
}

void SocketPeer::send_text(std::string_view text) const { send(server_frame(0x81, text)); }

void SocketPeer::close(int code, std::string_view reason) const {
  std::string payload;
  payload += static_cast<char>(code >> 8);
  payload += static_cast<char>(code & 0xFF);
  send(server_frame(0x88, payload.append(reason)));
}

std::optional<ClientFrame> SocketPeer::read() {
  while (true) {
    if (input_.size() >= 2) {
      std::uint64_t size = byte(input_, 1) & 0x7FU;
      std::size_t at = 2;
      const std::size_t length = size < 126 ? 0 : size == 126 ? 2 : 8;
      if (input_.size() >= at + length) {
        if (length > 0) size = 0;
        for (std::size_t i = 0; i < length; ++i) size = size << 8U | byte(input_, at++);
        if (input_.size() >= at + 4 + size) {
          ClientFrame frame{.first = byte(input_, 0),
                            .payload = input_.substr(at + 4, static_cast<std::size_t>(size)),
                            .is_masked = (byte(input_, 1) & 0x80U) != 0};
          for (std::size_t i = 0; i < frame.payload.size(); ++i) {
            frame.payload[i] = static_cast<char>(frame.payload[i] ^ input_[at + i % 4]);
          }
          input_.erase(0, at + 4 + static_cast<std::size_t>(size));
          return frame;
        }
      }
    }
    if (!receive()) return std::nullopt;
  }
}

std::string SocketPeer::read_text() {
  const auto frame = read();
  return frame ? frame->payload : "(end)";
}

int SocketPeer::wait_for_end() {
  int code = 1006;
  while (const auto frame = read()) {
    if (frame->opcode() != 8) continue;
    code = frame->code();
    send(server_frame(0x88, frame->payload));
  }
  return code;
}

void SocketPeer::wait_for_bytes() const {
  while (!ends_ && !is_readable(fd_)) continue;
}

void SocketPeer::drop() const { shutdown(fd_, SHUT_RDWR); }

std::string server_frame(unsigned first, std::string_view payload) {
  std::string frame(1, static_cast<char>(first));
  const auto put = [&](std::uint64_t number, int bytes) {
    for (int i = bytes - 1; i >= 0; --i) frame += static_cast<char>(number >> (8 * i) & 0xFFU);
  };
  if (payload.size() < 126) {
    put(payload.size(), 1);
  } else if (payload.size() <= 0xFFFF) {
    put(126, 1);
    put(payload.size(), 2);
  } else {
    put(127, 1);
    put(payload.size(), 8);
  }
  return frame.append(payload);
}

SocketServer::SocketServer(std::vector<Handler> handlers, Requests requests)
    : handlers_(std::move(handlers)),
      requests_wish_(requests),
      listener_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener_, 16) != 0) {
    throw std::runtime_error("no port to listen on");
  }
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

SocketServer::~SocketServer() {
  ends_ = true;
  thread_.join();
  close(listener_);
}

std::vector<std::string> SocketServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void SocketServer::serve() {
  for (std::size_t next = 0; !ends_;) {
    if (!is_readable(listener_)) continue;
    SocketPeer peer(accept(listener_, nullptr, nullptr), ends_);
    if (requests_wish_ == Requests::read && !peer.read_request()) continue;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(peer.request());
    }
    handlers_[std::min(next++, handlers_.size() - 1)](peer);
  }
}

}  // namespace e2e
