#include "dev/dev_proxy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <vector>

#include "base/ascii.hpp"
#include "base/traceparent.hpp"
#include "dev/http_message.hpp"
#include "files/user_error.hpp"

namespace fairway::dev {
namespace {

constexpr std::size_t kMaxHead = 256 * 1024;
constexpr std::size_t kMaxBuffered = 256 * 1024;
constexpr int kBacklog = 1024;
/// How long a client may take to detect the end of a response.
constexpr std::chrono::milliseconds kLingerTime{1000};

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

fw::base::FileDescriptor open_listener(const std::string& host, std::uint16_t port) {
  const auto fail = [&](const std::string& reason, std::string_view remedy) {
    throw UserError(fmt::format("cannot listen on {}:{}: {}{}", host, port, reason, remedy));
  };
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) {
    fail("the host is not an address of this machine", "");
  }
  const Addresses address(found, &::freeaddrinfo);
  fw::base::FileDescriptor listener(
      ::socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(listener.get(), address->ai_addr, address->ai_addrlen) != 0 ||
      ::listen(listener.get(), kBacklog) != 0) {
    fail(std::strerror(errno), errno == EADDRINUSE
                                   ? "; stop the other program, or choose another port with --port"
                                   : "; choose another address with --host and --port");
  }
  return listener;
}

/// Without its port.
std::string_view host_of(std::string_view authority) {
  if (authority.starts_with('[')) return authority.substr(0, authority.find(']') + 1);
  return authority.substr(0, authority.find(':'));
}

ProxyRequest read_request(std::string_view head) {
  ProxyRequest request;
  const RequestLine line = request_line(head);
  request.method = line.method;
  request.target = line.target;
  request.host = host_of(find_field(head, "host").value_or(""));
  request.is_from_page = find_field(head, "x-fairway-dev").has_value();
  for_each_field(head, [&](std::string_view field) {
    request.accepts_html =
        request.accepts_html || (fw::base::equal_ignoring_case(name_of(field), "accept") &&
                                 field.find("text/html") != field.npos);
  });
  return request;
}

bool is_local(int client) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getpeername(client, reinterpret_cast<sockaddr*>(&address), &size) != 0) return false;
  if (address.ss_family == AF_INET) {
    constexpr unsigned kLoopbackNetwork = 127;
    const auto& ipv4 = reinterpret_cast<const sockaddr_in&>(address);
    return ntohl(ipv4.sin_addr.s_addr) >> 24U == kLoopbackNetwork;
  }
  const auto& ipv6 = reinterpret_cast<const sockaddr_in6&>(address);
  return IN6_IS_ADDR_LOOPBACK(&ipv6.sin6_addr);
}

/// The span of the proxy: in the trace of the client, if it sends one.
fw::base::TraceParent span_of(std::string_view head) {
  fw::base::TraceParent span = fw::base::make_traceparent();
  const auto caller = fw::base::parse_traceparent(find_field(head, "traceparent").value_or(""));
  if (caller) span.trace = caller->trace;
  return span;
}

/// Whether a client must not set the field, because the program trusts what the proxy says about
/// the connection.
bool is_about_client(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {"forwarded", "x-forwarded-for",
                                                      "x-forwarded-host", "x-forwarded-proto"};
  return std::ranges::any_of(
      kNames, [&](std::string_view each) { return fw::base::equal_ignoring_case(name, each); });
}

/// The head for the server, which must close the connection after its response. An upgrade keeps
/// its fields.
std::string forwarded_head(std::string_view head, bool is_secure,
                           const fw::base::TraceParent& span) {
  const bool is_upgrade = find_field(head, "upgrade").has_value();
  std::string result(head.substr(0, head.find('\n') + 1));
  for_each_field(head, [&](std::string_view field) {
    const auto is = [&](std::string_view name) {
      return fw::base::equal_ignoring_case(name_of(field), name);
    };
    if (!is_upgrade && (is("connection") || is("keep-alive"))) return;
    if (is("traceparent") || (is_secure && is_about_client(name_of(field)))) return;
    result.append(field).append("\r\n");
  });
  result += "traceparent: " + fw::base::to_string(span) + "\r\n";
  if (is_secure) result += "X-Forwarded-Proto: https\r\n";
  return result + (is_upgrade ? "\r\n" : "Connection: close\r\n\r\n");
}

std::string response_text(const Reply& reply, bool has_body) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n{}Connection: close\r\n\r\n{}",
      reply.status, reply.status < 400 ? "OK" : "Error", reply.media_type, reply.body.size(),
      reply.status == 503 ? "Retry-After: 1\r\n" : "", has_body ? reply.body : "");
}

}  // namespace

Reply error_reply(int status, std::string_view message) {
  return {status, "application/json; charset=utf-8",
          fmt::format(R"({{"code":{},"message":"{}"}})", status, message)};
}

class DevProxy::Connection {
 public:
  Connection(DevProxy& proxy, fw::base::FileDescriptor client)
      : proxy_(proxy),
        client_(std::move(client)),
        tls_(proxy.tls_ ? proxy.tls_->accept(client_.get()) : nullptr) {
    update();
  }
  ~Connection() {
    proxy_.loop_.cancel(timer_);
    proxy_.loop_.forget(client_.get());
    forget_server();
    proxy_.log_.end(logged_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int id() const { return client_.get(); }

  /// Only for a request that waits.
  void decide() {
    if (state_ != State::waiting) return;
    const Decision decision = proxy_.decide_(request_);
    if (const auto* forward = std::get_if<Forward>(&decision)) {
      connect(*forward);
    } else if (const auto* reply = std::get_if<Reply>(&decision)) {
      respond(*reply);
    } else if (timer_ == 0) {
      timer_ = proxy_.loop_.after(proxy_.max_wait_, [this] {
        request_.has_waited = true;
        decide();
        update_or_close();
      });
    }
  }
  void update_or_close() {
    if (is_broken_) {
      proxy_.close(*this);
      return;
    }
    if (state_ == State::responding && to_client_.empty()) begin_closing();
    update();
  }

 private:
  enum class State { reading_head, waiting, connecting, relaying, responding, closing };

  /// Reads and discards the rest of the request, so that the end of the response is not lost in a
  /// reset.
  void begin_closing() {
    if (tls_) tls_->end_output();
    ::shutdown(client_.get(), SHUT_WR);
    state_ = State::closing;
    proxy_.loop_.cancel(timer_);
    timer_ = proxy_.loop_.after(kLingerTime, [this] { proxy_.close(*this); });
  }

  void connect(const Forward& forward) {
    proxy_.loop_.cancel(timer_);
    timer_ = 0;
    server_ =
        fw::base::FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(forward.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int result =
        ::connect(server_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    if (result != 0 && errno != EINPROGRESS) {
      respond(error_reply(502, "the application does not accept connections"));
      return;
    }
    if (forward.other_request) {
      const auto end = end_of_head(*forward.other_request);
      head_ = forward.other_request->substr(0, end);
      to_server_ = forward.other_request->substr(end);
    }
    const fw::base::TraceParent span = span_of(head_);
    logged_ = proxy_.log_.begin(head_, span);
    proxy_.log_.add_request_body(logged_, to_server_);
    to_server_ = forwarded_head(head_, tls_ != nullptr, span) + std::move(to_server_);
    state_ = State::connecting;
  }

  void respond(const Reply& reply) {
    forget_server();
    proxy_.loop_.cancel(timer_);
    timer_ = 0;
    to_client_ = response_text(reply, request_.method != "HEAD");
    state_ = State::responding;
  }

  void forget_server() {
    if (server_) proxy_.loop_.forget(server_.get());
    server_.close();
    proxy_.log_.end(logged_);
  }

  /// Waits for what the state needs.
  void update() {
    short client_events = 0;
    short server_events = 0;
    const bool wants_more =
        state_ == State::reading_head || state_ == State::closing ||
        (state_ == State::relaying && !client_ended_ && to_server_.size() < kMaxBuffered);
    if (wants_more) client_events |= POLLIN;
    if (state_ == State::waiting) client_events |= POLLRDHUP;
    if (!to_client_.empty() || (tls_ && tls_->waits_for_output())) client_events |= POLLOUT;
    if (state_ == State::connecting || (state_ == State::relaying && !to_server_.empty())) {
      server_events |= POLLOUT;
    }
    if (state_ == State::relaying && to_client_.size() < kMaxBuffered) server_events |= POLLIN;
    const auto watch = [this](const fw::base::FileDescriptor& descriptor, short events,
                              auto ready) {
      proxy_.loop_.watch(descriptor.get(), events, [this, ready](short happened) {
        (this->*ready)(happened);
        update_or_close();
      });
    };
    watch(client_, client_events, &Connection::on_client);
    if (server_) watch(server_, server_events, &Connection::on_server);
  }

  void on_client(short events) {
    if ((events & (POLLERR | POLLHUP)) != 0) is_broken_ = true;
    if (state_ == State::waiting && (events & POLLRDHUP) != 0) is_broken_ = true;
    const bool continues_handshake = tls_ && tls_->waits_for_output();
    if ((events & POLLOUT) != 0) send(client_, to_client_);
    if (((events & POLLIN) == 0 && !continues_handshake) || is_broken_) return;
    receive_from_client();
  }

  void receive_from_client() {
    const bool has_ended = !receive(client_, to_server_);
    if (state_ == State::closing) {
      to_server_.clear();
      is_broken_ = has_ended;
      return;
    }
    if (state_ == State::reading_head) {
      read_head();
      if (has_ended && state_ == State::reading_head) is_broken_ = true;
    } else if (has_ended) {
      client_ended_ = true;
      if (to_server_.empty()) ::shutdown(server_.get(), SHUT_WR);
    }
  }

  void read_head() {
    const auto end = end_of_head(to_server_);
    if (end == to_server_.npos) {
      if (to_server_.size() > kMaxHead) {
        respond(error_reply(431, "the head of the request is too large"));
      }
      return;
    }
    head_ = to_server_.substr(0, end);
    to_server_.erase(0, end);
    request_ = read_request(head_);
    request_.is_local = is_local(client_.get());
    state_ = State::waiting;
    decide();
  }

  void on_server(short events) {
    if (state_ == State::connecting) {
      int error = 0;
      socklen_t size = sizeof error;
      ::getsockopt(server_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
      if (error != 0) {
        respond(error_reply(502, "the application does not accept connections"));
        return;
      }
      state_ = State::relaying;
    }
    if ((events & POLLOUT) != 0) {
      send(server_, to_server_);
      // The socket does not show what TLS has received already.
      if (tls_ && tls_->has_pending() && !client_ended_) receive_from_client();
      if (client_ended_ && to_server_.empty()) ::shutdown(server_.get(), SHUT_WR);
    }
    if ((events & (POLLIN | POLLHUP | POLLERR)) == 0) return;
    if (receive(server_, to_client_)) {
      has_response_ = has_response_ || !to_client_.empty();
    } else if (has_response_) {
      forget_server();
      state_ = State::responding;  // what is left of the response
    } else {
      respond(error_reply(502, "the application ended before it responded"));
    }
  }

  /// False at the end of the stream.
  bool receive(const fw::base::FileDescriptor& from, std::string& buffer) {
    std::array<char, 16'384> bytes;
    while (buffer.size() < kMaxBuffered) {
      const bool is_encrypted = tls_ && &from == &client_;
      const ssize_t size = is_encrypted ? tls_->receive(bytes.data(), bytes.size())
                                        : ::recv(from.get(), bytes.data(), bytes.size(), 0);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
      if (size <= 0) return false;
      const std::string_view received(bytes.data(), static_cast<std::size_t>(size));
      buffer.append(received);
      if (&buffer == &to_client_) {
        has_response_ = true;
        proxy_.log_.add_response(logged_, received);
      } else {
        proxy_.log_.add_request_body(logged_, received);
      }
    }
    return true;
  }

  void send(const fw::base::FileDescriptor& to, std::string& buffer) {
    while (!buffer.empty()) {
      const bool is_encrypted = tls_ && &to == &client_;
      const ssize_t size = is_encrypted
                               ? tls_->send(buffer.data(), buffer.size())
                               : ::send(to.get(), buffer.data(), buffer.size(), MSG_NOSIGNAL);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
      if (size < 0) {
        // A server that does not read on may have responded.
        if (&to == &client_) is_broken_ = true;
        buffer.clear();
        return;
      }
      buffer.erase(0, static_cast<std::size_t>(size));
    }
  }

  DevProxy& proxy_;
  fw::base::FileDescriptor client_;
  std::unique_ptr<TlsStream> tls_;  ///< null: cleartext
  fw::base::FileDescriptor server_;
  State state_ = State::reading_head;
  ProxyRequest request_;
  std::string head_;
  std::string to_server_;
  std::string to_client_;
  bool client_ended_ = false;
  bool has_response_ = false;
  bool is_broken_ = false;
  RequestLog::Id logged_ = 0;  ///< 0: it has not been forwarded
  process::EventLoop::TimerId timer_ = 0;
};

DevProxy::DevProxy(process::EventLoop& loop, const std::string& host, std::uint16_t port,
                   std::chrono::milliseconds max_wait, Decide decide, RequestLog& log,
                   std::unique_ptr<TlsContext> tls)
    : loop_(loop),
      max_wait_(max_wait),
      decide_(std::move(decide)),
      log_(log),
      tls_(std::move(tls)),
      listener_(open_listener(host, port)) {
  loop_.watch(listener_.get(), POLLIN, [this](short) { accept(); });
}

DevProxy::~DevProxy() { loop_.forget(listener_.get()); }

std::uint16_t DevProxy::port() const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

void DevProxy::reconsider() {
  std::vector<int> ids;
  for (const auto& [id, connection] : connections_) ids.push_back(id);
  for (const int id : ids) {
    const auto connection = connections_.find(id);
    if (connection == connections_.end()) continue;
    connection->second->decide();
    connection->second->update_or_close();
  }
}

void DevProxy::accept() {
  while (true) {
    fw::base::FileDescriptor client(
        ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!client) return;
    const int on = 1;
    ::setsockopt(client.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const int id = client.get();
    connections_[id] = std::make_unique<Connection>(*this, std::move(client));
  }
}

void DevProxy::close(Connection& connection) { connections_.erase(connection.id()); }

}  // namespace fairway::dev
