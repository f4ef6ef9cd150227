#include "http_message.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <charconv>
#include <chrono>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace conformance {
namespace {

/// A connection that is closed at the end of scope.
class Connection {
 public:
  explicit Connection(int port) : descriptor_(socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval limit{.tv_sec = 60, .tv_usec = 0};
    setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      close(descriptor_);
      throw std::runtime_error("cannot connect");
    }
  }
  ~Connection() { close(descriptor_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void send_all(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      // A server may reject and close while a large request is still being sent.
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  /// Appends what has arrived; false at the end or after a failure.
  bool receive() {
    char chunk[16384];
    const ssize_t count = recv(descriptor_, chunk, sizeof chunk, 0);
    if (count <= 0) return false;
    buffer.append(chunk, static_cast<std::size_t>(count));
    return true;
  }

  std::string buffer;

 private:
  int descriptor_;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// Takes one line off the buffer, reading as needed; nothing when the connection ended.
std::optional<std::string> take_line(Connection& connection) {
  std::size_t end;
  while ((end = connection.buffer.find("\r\n")) == std::string::npos) {
    if (!connection.receive()) return std::nullopt;
  }
  std::string line = connection.buffer.substr(0, end);
  connection.buffer.erase(0, end + 2);
  return line;
}

bool take_bytes(Connection& connection, std::size_t count, std::string& bytes) {
  while (connection.buffer.size() < count) {
    if (!connection.receive()) break;
  }
  const std::size_t taken = std::min(count, connection.buffer.size());
  bytes.append(connection.buffer, 0, taken);
  connection.buffer.erase(0, taken);
  return taken == count;
}

void read_head(Connection& connection, ReceivedResponse& response) {
  const auto status_line = take_line(connection);
  if (!status_line) throw std::runtime_error("no response");
  if (!status_line->starts_with("HTTP/1.") || status_line->size() < 12) {
    throw std::runtime_error("not an HTTP response: " + *status_line);
  }
  response.status = std::stoi(status_line->substr(9, 3));
  response.fields.clear();
  while (true) {
    const auto line = take_line(connection);
    if (!line) throw std::runtime_error("the head of the response is incomplete");
    if (line->empty()) return;
    const std::size_t colon = line->find(':');
    if (colon == std::string::npos) throw std::runtime_error("bad header line: " + *line);
    response.fields.emplace_back(line->substr(0, colon),
                                 std::string(trimmed(std::string_view(*line).substr(colon + 1))));
  }
}

bool read_chunks(Connection& connection, std::string& body) {
  while (true) {
    const auto size_line = take_line(connection);
    if (!size_line) return false;
    std::size_t size = 0;
    std::from_chars(size_line->data(), size_line->data() + size_line->size(), size, 16);
    if (size == 0) return take_line(connection).has_value();
    if (!take_bytes(connection, size, body)) return false;
    if (!take_line(connection)) return false;
  }
}

bool read_body(Connection& connection, ReceivedResponse& response) {
  if (const auto coding = response.field("Transfer-Encoding"); coding && *coding == "chunked") {
    return read_chunks(connection, response.body);
  }
  if (const auto length = response.field("Content-Length")) {
    return take_bytes(connection, std::stoul(*length), response.body);
  }
  while (connection.receive()) continue;
  response.body = connection.buffer;
  return true;
}

}  // namespace

bool equal_names(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  });
}

std::optional<std::string> ReceivedResponse::field(std::string_view name) const {
  for (const auto& [field_name, value] : fields) {
    if (equal_names(field_name, name)) return value;
  }
  return std::nullopt;
}

ReceivedResponse exchange(int port, std::string_view bytes, bool head) {
  Connection connection(port);
  const auto begin = std::chrono::steady_clock::now();
  connection.send_all(bytes);
  ReceivedResponse response;
  do {
    read_head(connection, response);
  } while (response.status < 200);
  const bool bodiless = head || response.status == 204 || response.status == 304;
  response.complete = bodiless || read_body(connection, response);
  response.elapsed_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return response;
}

}  // namespace conformance
