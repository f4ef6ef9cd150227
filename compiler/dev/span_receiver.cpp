#include "dev/span_receiver.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>

#include "base/parse_number.hpp"
#include "base/traceparent.hpp"
#include "dev/http_message.hpp"
#include "files/user_error.hpp"

namespace fairway::dev {
namespace {

constexpr std::size_t kMaxRequest = std::size_t{16} * 1024 * 1024;
constexpr std::size_t kMaxConnections = 64;
constexpr int kReceiverBacklog = 64;

fw::base::FileDescriptor open_listener() {
  fw::base::FileDescriptor listener(
      ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener.get(), kReceiverBacklog) != 0) {
    throw UserError(fmt::format("cannot listen on 127.0.0.1: {}", std::strerror(errno)));
  }
  return listener;
}

/// 128 random bits.
std::string make_path() {
  std::array<char, 32> digits{};
  fw::base::write_hex(fw::base::make_trace_id(), digits);
  return "/" + std::string(digits.data(), digits.size());
}

void respond(int client, std::string_view status) {
  const std::string response = fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
      "Connection: close\r\n\r\n{{}}",
      status);
  // It fits into the buffer of the socket.
  [[maybe_unused]] const ssize_t sent =
      ::send(client, response.data(), response.size(), MSG_NOSIGNAL);
  ::shutdown(client, SHUT_WR);
}

}  // namespace

SpanReceiver::SpanReceiver(process::EventLoop& loop, Receive receive)
    : loop_(loop), receive_(std::move(receive)), path_(make_path()), listener_(open_listener()) {
  loop_.watch(listener_.get(), POLLIN, [this](short) { accept(); });
}

SpanReceiver::~SpanReceiver() {
  loop_.forget(listener_.get());
  for (const auto& [id, connection] : connections_) loop_.forget(id);
}

std::string SpanReceiver::endpoint() const {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return fmt::format("http://127.0.0.1:{}{}", ntohs(address.sin_port), path_);
}

void SpanReceiver::accept() {
  while (true) {
    fw::base::FileDescriptor client(
        ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!client) return;
    if (connections_.size() == kMaxConnections) continue;
    const int id = client.get();
    connections_.insert_or_assign(id, Connection{.client = std::move(client)});
    loop_.watch(id, POLLIN, [this, id](short) { read(id); });
  }
}

void SpanReceiver::read(int id) {
  Connection& connection = connections_.at(id);
  std::array<char, 65'536> bytes;
  bool is_over = false;
  while (!is_over) {
    const ssize_t size = ::recv(id, bytes.data(), bytes.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    is_over = size <= 0;
    if (is_over) break;
    connection.received.append(bytes.data(), static_cast<std::size_t>(size));
    is_over = handle(connection) || connection.received.size() > kMaxRequest;
  }
  loop_.forget(id);
  connections_.erase(id);
}

bool SpanReceiver::handle(const Connection& connection) const {
  const std::string_view received = connection.received;
  const auto end = end_of_head(received);
  if (end == received.npos) return false;
  const std::string_view head = received.substr(0, end);
  const int client = connection.client.get();
  const RequestLine line = request_line(head);
  if (line.method != "POST" || line.target != path_ + "/v1/traces") {
    respond(client, "404 Not Found");
    return true;
  }
  const std::string_view length = find_field(head, "content-length").value_or("0");
  const auto size = fw::base::parse_number<std::size_t>(length).value_or(0);
  const std::string_view body = received.substr(end);
  if (body.size() < size) return false;
  const auto request =
      nlohmann::ordered_json::parse(body.substr(0, size), nullptr, /*allow_exceptions=*/false);
  if (!request.is_discarded()) receive_(request);
  respond(client, request.is_discarded() ? "400 Bad Request" : "200 OK");
  return true;
}

}  // namespace fairway::dev
