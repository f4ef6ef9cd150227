#include "contract_test/socket_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <system_error>

#include "base/ascii.hpp"
#include "http/websocket/frames.hpp"

namespace fairway::contract_test {
namespace {

namespace websocket = fw::http::websocket;
using websocket::Opcode;

constexpr time_t kMaxSilenceSeconds = 15;
constexpr std::size_t kMaxReceived = std::size_t{64} * 1024 * 1024;
constexpr unsigned kMaskedBit = 0x80;
constexpr unsigned kLengthBits = 0x7f;
constexpr unsigned kOpcodeBits = 0x0f;
constexpr std::string_view kMask = "fway";
constexpr std::string_view kEndOfHead = "\r\n\r\n";

std::string big_endian(std::uint64_t number, int bytes) {
  std::string result;
  for (int i = bytes - 1; i >= 0; --i) result += static_cast<char>(number >> (8 * i) & 0xff);
  return result;
}

std::uint64_t number_of(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char c : bytes) number = number << 8 | static_cast<unsigned char>(c);
  return number;
}

Response response_of(std::string_view head) {
  Response response;
  const std::size_t status = std::min(head.find(' '), head.size() - 1) + 1;
  std::from_chars(head.data() + status, head.data() + head.size(), response.status);
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(std::min(head.size(), line.size() + 2));
    const std::size_t colon = line.find(':');
    if (colon == line.npos || response.status == 0) continue;
    response.headers.emplace_back(line.substr(0, colon),
                                  fw::base::trim_ows(line.substr(colon + 1)));
  }
  return response;
}

}  // namespace

struct SocketClient::Frame {
  Opcode opcode = Opcode::text;
  bool is_final = false;
  std::string payload;
};

bool SocketEvent::is_lost() const { return kind == Kind::closed && code == websocket::kAbnormal; }

const Headers& socket_opening() {
  static const Headers headers = {{"connection", "Upgrade"},
                                  {"upgrade", "websocket"},
                                  {"sec-websocket-version", "13"},
                                  {"sec-websocket-key", "ZmFpcndheS1jb250cmFjdA=="}};
  return headers;
}

void SocketClient::connect() {
  received_.clear();
  connection_.close();
  std::string host = url_.origin.substr(url_.origin.find("://") + 3);
  const std::size_t colon = host.rfind(':');
  const bool has_port = colon != host.npos && host.find(']', colon) == host.npos;
  const std::string port = has_port ? host.substr(colon + 1) : "80";
  if (has_port) host.resize(colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found); error != 0) {
    throw NoResponse(::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, &::freeaddrinfo);
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    fw::base::FileDescriptor socket(::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval limit = {.tv_sec = kMaxSilenceSeconds, .tv_usec = 0};
    const int on = 1;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (::connect(socket.get(), address->ai_addr, address->ai_addrlen) == 0) {
      connection_ = std::move(socket);
      return;
    }
  }
  throw NoResponse(std::generic_category().message(errno));
}

Response SocketClient::open(const Request& request) {
  connect();
  std::string head = fmt::format("{} {}{} HTTP/1.1\r\nhost: {}\r\n", request.method, url_.path,
                                 request.target, url_.origin.substr(url_.origin.find("://") + 3));
  for (const auto& [name, value] : request.headers) head += fmt::format("{}: {}\r\n", name, value);
  send(head + "\r\n");
  std::size_t end = 0;
  while ((end = received_.find(kEndOfHead)) == received_.npos) {
    if (!receive()) throw NoResponse("the connection was closed");
  }
  Response response = response_of(std::string_view(received_).substr(0, end));
  received_.erase(0, end + kEndOfHead.size());
  if (response.status == kSwitchingProtocols) return response;
  std::size_t length = kMaxReceived;  // then the connection ends with it
  const std::string given = response.header("content-length");
  std::from_chars(given.data(), given.data() + given.size(), length);
  (void)await(length);
  response.body = std::move(received_);
  connection_.close();
  return response;
}

void SocketClient::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(connection_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return;  // what has been received says why
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void SocketClient::send_frame(unsigned opcode, std::string_view payload) const {
  std::string frame(1, static_cast<char>(websocket::kFinalBit | opcode));
  if (payload.size() < 126) {
    frame += static_cast<char>(kMaskedBit | payload.size());
  } else if (payload.size() <= UINT16_MAX) {
    frame += static_cast<char>(kMaskedBit | 126U);
    frame += big_endian(payload.size(), 2);
  } else {
    frame += static_cast<char>(kMaskedBit | 127U);
    frame += big_endian(payload.size(), 8);
  }
  frame += kMask;
  for (std::size_t i = 0; i < payload.size(); ++i) {
    frame += static_cast<char>(payload[i] ^ kMask[i % kMask.size()]);
  }
  send(frame);
}

void SocketClient::send_text(std::string_view text) {
  send_frame(static_cast<unsigned>(Opcode::text), text);
}

void SocketClient::ping() { send_frame(static_cast<unsigned>(Opcode::ping), ""); }

void SocketClient::close() {
  if (!connection_) return;
  send_frame(static_cast<unsigned>(Opcode::close), big_endian(websocket::kNormalClosure, 2));
  connection_.close();
}

bool SocketClient::receive() {
  char buffer[16 * 1024];
  const ssize_t size = ::recv(connection_.get(), buffer, sizeof(buffer), 0);
  if (size < 0 && errno == EINTR) return true;
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    throw NoResponse(fmt::format("nothing within {} seconds", kMaxSilenceSeconds));
  }
  if (size <= 0) return false;
  if (received_.size() > kMaxReceived) throw NoResponse("a message is too large");
  received_.append(buffer, static_cast<std::size_t>(size));
  return true;
}

bool SocketClient::await(std::size_t bytes) {
  while (received_.size() < bytes) {
    if (!receive()) return false;
  }
  return true;
}

bool SocketClient::read_frame(Frame& frame) {
  if (!await(2)) return false;
  const auto first = static_cast<unsigned char>(received_[0]);
  std::uint64_t length = static_cast<unsigned char>(received_[1]) & kLengthBits;
  const std::size_t more = length == 126 ? 2 : length == 127 ? 8 : 0;
  if (!await(2 + more)) return false;
  if (more > 0) length = number_of(std::string_view(received_).substr(2, more));
  if (length > kMaxReceived) throw NoResponse("a message is too large");
  const std::size_t size = static_cast<std::size_t>(length);
  if (!await(2 + more + size)) return false;
  frame.opcode = static_cast<Opcode>(first & kOpcodeBits);
  frame.is_final = (first & websocket::kFinalBit) != 0;
  frame.payload = received_.substr(2 + more, size);
  received_.erase(0, 2 + more + size);
  return true;
}

SocketEvent SocketClient::next() {
  SocketEvent event;
  std::string message;
  auto kind = SocketEvent::Kind::text;
  for (Frame frame; read_frame(frame);) {
    switch (frame.opcode) {
      case Opcode::ping:
        send_frame(static_cast<unsigned>(Opcode::pong), frame.payload);
        continue;
      case Opcode::pong:
        return {.kind = SocketEvent::Kind::pong};
      case Opcode::close:
        event.code =
            frame.payload.size() < 2
                ? websocket::kNoCode
                : static_cast<int>(number_of(std::string_view(frame.payload).substr(0, 2)));
        if (frame.payload.size() > 2) event.content = frame.payload.substr(2);
        close();
        return event;
      case Opcode::text:
      case Opcode::binary:
        kind = frame.opcode == Opcode::text ? SocketEvent::Kind::text : SocketEvent::Kind::binary;
        break;
      case Opcode::continuation:
        break;
    }
    message += frame.payload;
    if (!frame.is_final) continue;
    return {.kind = kind, .content = std::move(message)};
  }
  connection_.close();
  event.code = websocket::kAbnormal;
  return event;
}

}  // namespace fairway::contract_test
