#include "upstream.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace conformance {
namespace {

using Json = nlohmann::json;
using Texts = std::map<std::string, std::string>;

/// The gzip of {"zipped":true}.
constexpr std::string_view kZipped(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\xaa\xca\x2c\x28\x48\x4d\x51\xb2"
    "\x2a\x29\x2a\x4d\xad\x05\x00\x84\x28\xbc\x08\x0f\x00\x00\x00",
    35);

void wait(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

bool send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string decoded(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '%' && at + 2 < text.size()) {
      result += static_cast<char>(std::stoi(std::string(text.substr(at + 1, 2)), nullptr, 16));
      at += 2;
    } else {
      result += text[at] == '+' ? ' ' : text[at];
    }
  }
  return result;
}

Texts parse_query(std::string_view query) {
  Texts pairs;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(pair.size() < query.size() ? pair.size() + 1 : query.size());
    const auto equals = std::min(pair.find('='), pair.size());
    pairs[decoded(pair.substr(0, equals))] =
        decoded(pair.substr(std::min(equals + 1, pair.size())));
  }
  return pairs;
}

}  // namespace

struct Upstream::Request {
  std::string method;
  std::string path;
  Texts query;
  Texts headers;  ///< lower-case names
  std::string body;

  int number(const std::string& name) const {
    const auto found = query.find(name);
    return found == query.end() ? 0 : std::atoi(found->second.c_str());
  }
  std::string text(const std::string& name, const std::string& otherwise) const {
    const auto found = query.find(name);
    return found == query.end() ? otherwise : found->second;
  }
  bool wants_chunks() const {
    const auto found = headers.find("transfer-encoding");
    return found != headers.end() && found->second == "chunked";
  }
};

namespace {

/// The bytes of one connection, as lines and counts.
class Reader {
 public:
  explicit Reader(int connection) : connection_(connection) {}

  bool line(std::string& text) {
    auto end = std::string::npos;
    while ((end = input_.find("\r\n")) == std::string::npos) {
      if (!receive()) return false;
    }
    text = input_.substr(0, end);
    input_.erase(0, end + 2);
    return true;
  }

  bool bytes(std::size_t count, std::string& text) {
    while (input_.size() < count) {
      if (!receive()) return false;
    }
    text += input_.substr(0, count);
    input_.erase(0, count);
    return true;
  }

  bool chunks(std::string& text) {
    std::string size;
    std::string end;
    while (line(size)) {
      const auto count = std::stoul(size, nullptr, 16);
      if (!bytes(count, text) || !line(end)) return false;
      if (count == 0) return true;
    }
    return false;
  }

 private:
  bool receive() {
    char buffer[16384];
    const ssize_t count = recv(connection_, buffer, sizeof buffer, 0);
    if (count <= 0) return false;
    input_.append(buffer, static_cast<std::size_t>(count));
    return true;
  }

  int connection_;
  std::string input_;
};

std::string response(int status, std::string_view type, std::string_view body,
                     std::string_view fields = "") {
  std::string text = "HTTP/1.1 " + std::to_string(status) + " Status\r\n";
  if (!type.empty()) text += "Content-Type: " + std::string(type) + "\r\n";
  text += fields;
  if (status != 204 && status != 304) {
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  return text + "\r\n" + std::string(body);
}

std::string json(int status, const Json& value, std::string_view fields = "") {
  return response(status, "application/json", value.dump(), fields);
}

}  // namespace

Upstream::Upstream() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener_, 64) != 0) {
    close(listener_);
    throw std::runtime_error("no port for the upstream");
  }
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  thread_ = std::thread([this] { accept_all(); });
}

Upstream::~Upstream() {
  ends_ = true;
  thread_.join();
  for (auto& [connection, thread] : connections_) {
    shutdown(connection, SHUT_RDWR);
    thread.join();
    close(connection);
  }
  close(listener_);
}

void Upstream::accept_all() {
  while (!ends_) {
    pollfd entry{.fd = listener_, .events = POLLIN, .revents = 0};
    if (poll(&entry, 1, 20) <= 0) continue;
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection >= 0) {
      connections_.emplace_back(connection, std::thread([this, connection] { serve(connection); }));
    }
  }
}

void Upstream::serve(int connection) {
  Reader reader(connection);
  std::string line;
  while (reader.line(line)) {
    Request request;
    const auto blank = line.find(' ');
    request.method = line.substr(0, blank);
    const std::string target = line.substr(blank + 1, line.rfind(' ') - blank - 1);
    const auto mark = std::min(target.find('?'), target.size());
    request.path = target.substr(0, mark);
    request.query = parse_query(std::string_view(target).substr(std::min(mark + 1, target.size())));
    while (reader.line(line) && !line.empty()) {
      const auto colon = line.find(':');
      const auto value = std::min(line.find_first_not_of(" \t", colon + 1), line.size());
      request.headers[lower_case(line.substr(0, colon))] = line.substr(value);
    }
    if (request.wants_chunks()) {
      if (!reader.chunks(request.body)) break;
    } else if (const auto length = request.headers.find("content-length");
               length != request.headers.end()) {
      if (!reader.bytes(std::stoul(length->second), request.body)) break;
    }
    if (!respond(connection, request)) break;
  }
  shutdown(connection, SHUT_RDWR);
}

int Upstream::count(const std::string& key) {
  const std::lock_guard lock(mutex_);
  return ++counts_[key];
}

bool Upstream::respond(int connection, const Request& request) {
  const std::string& path = request.path;
  const bool has_key = request.query.contains("k");
  const int n = has_key ? count(request.query.at("k")) : 0;
  std::string text;
  if (path == "/echo" || path.starts_with("/echo/")) {
    Json headers = Json::object();
    for (const auto& [name, value] : request.headers) {
      if (name == "content-type" || name == "authorization" || name == "traceparent" ||
          name.starts_with("x-")) {
        headers[name] = value;
      }
    }
    text = json(200, {{"method", request.method},
                      {"path", path},
                      {"query", request.query},
                      {"headers", headers},
                      {"body", request.body}});
  } else if (path.starts_with("/status/")) {
    Json body = {{"upstream", true}};
    if (has_key) body["n"] = n;
    text = json(std::stoi(path.substr(8)), body, "X-Up: 1\r\n");
  } else if (path == "/flaky") {
    text = json(n <= request.number("fail") ? 503 : 200, {{"n", n}});
  } else if (path == "/reset") {
    if (n <= request.number("fail")) return false;
    text = json(200, {{"n", n}});
  } else if (path == "/slow") {
    wait(request.number("ms"));
    text = json(200, {{"slow", true}});
  } else if (path == "/slowbody") {
    send_all(connection,
             "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
             "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
    wait(request.number("ms"));
    return send_all(connection, "1\r\nb\r\n0\r\n\r\n");
  } else if (path == "/cut") {
    send_all(connection,
             "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\npart");
    wait(30);
    return false;
  } else if (path == "/redir") {
    text = response(302, "", "", "Location: /echo/after\r\nSet-Cookie: r=1\r\n");
  } else if (path == "/cookies") {
    text = response(200, "text/plain", "ck",
                    "Set-Cookie: a=1\r\nSet-Cookie: b=2; Path=/\r\nKeep-Alive: x\r\nX-A: 1\r\n"
                    "X-A: 2\r\n");
  } else if (path == "/gzip") {
    text = response(200, request.text("ct", "application/json"), kZipped,
                    "Content-Encoding: gzip\r\n");
  } else if (path == "/204") {
    text = response(204, "", "", "X-Up: n\r\n");
  } else if (path == "/304") {
    text = response(304, "", "", "ETag: e\r\n");
  } else if (path == "/html") {
    text = response(200, "text/html", "<b>\xc3\xa9</b>");
  } else if (path == "/bin") {
    text = response(200, "image/png", "\x01\x02\x03\xff");
  } else {
    text = json(404, {{"error", "unknown path"}});
  }
  if (request.method == "HEAD") text.resize(text.find("\r\n\r\n") + 4);
  return send_all(connection, text);
}

}  // namespace conformance
