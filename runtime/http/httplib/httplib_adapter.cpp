// The portable engine: the server of cpp-httplib accepts connections and reads requests, with a
// thread for each connection.
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <fcntl.h>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "http/adapter.hpp"
#include "http/httplib/certificate_watch.hpp"
#include "http/httplib/handshake_turns.hpp"
#include "http/httplib/httplib_transaction.hpp"
#include "http/httplib/socket_stream.hpp"
#include "http/listener.hpp"
#include "http/request_head.hpp"
#include "http/response_head.hpp"
#include "http/transport.hpp"

namespace fw::http {
namespace {

using Clock = std::chrono::steady_clock;

/// Time for a new client to send its first request while the server is stopping.
constexpr std::chrono::milliseconds kFirstRequestTime{500};
/// Number of requests after which a connection ends if other clients wait for its thread.
constexpr std::size_t kTurn = 32;
/// Time that a handshake has although other clients wait for its thread.
constexpr std::chrono::milliseconds kMinHandshakeTime{1'000};
/// Interval at which handshakes are checked while a client waits for a thread.
constexpr std::chrono::milliseconds kHandshakeCheck{100};

/// A connection, which one thread owns.
struct Connection {
  Connection(Transport transport, const AdapterOptions& options,
             const std::atomic<bool>& is_stopping)
      : stream(std::move(transport), options, is_stopping) {}

  SocketStream stream;
  // Guarded by the server's mutex:
  bool is_idle = true;
  bool is_in_handshake = false;
  const Clock::time_point since = Clock::now();

  std::size_t requests = 0;

  // The current request.
  std::shared_ptr<HttplibTransaction> transaction;
  std::optional<RequestError> error;  ///< the reason why there is no transaction
  int own_status = 0;                 ///< status of an error that httplib detected
};

/// The connection of this thread, because httplib does not pass it to its callbacks.
thread_local Connection* t_connection = nullptr;

/// The reason why there is no transaction for the input of a client.
RequestError error_of(const Connection& connection) {
  if (connection.error) return *connection.error;
  const SocketStream& stream = connection.stream;
  if (stream.transport().is_cleartext_for_tls()) return {400, kExpectsTls};
  if (stream.failure() == SocketStream::Failure::timed_out) {
    return {408, "the request took too long"};
  }
  if (stream.failure() == SocketStream::Failure::head_too_large) {
    return {431, "the request head is too large"};
  }
  if (connection.own_status == 414) return {414, "the request target is too long"};
  if (connection.own_status == 416) return {416, "Range is malformed"};
  RequestLine line;
  const auto error = parse_request_line(stream.head().substr(0, stream.head().find("\r\n")), line);
  return error.value_or(RequestError{400, "a header line is malformed or too long"});
}

class Server : public httplib::Server {
 public:
  Server(AdapterOptions options, TransactionHandler handler, ErrorRenderer render_error)
      : options_(std::move(options)),
        handler_(std::move(handler)),
        render_error_(std::move(render_error)) {
    new_task_queue = [this] { return new ConnectionThreads(*this); };
    set_payload_max_length(std::numeric_limits<std::size_t>::max());
    set_pre_routing_handler([this](const httplib::Request&, httplib::Response&) {
      const auto& transaction = t_connection->transaction;
      // httplib reads bodies only for its own routes.
      if (transaction && transaction->head().has_body) return HandlerResponse::Unhandled;
      if (transaction) run_handler();
      return HandlerResponse::Handled;
    });
    const auto with_body = [this](const httplib::Request&, httplib::Response&,
                                  const httplib::ContentReader&) {
      HttplibTransaction& transaction = *t_connection->transaction;
      transaction.begin_body();
      if (options_.plan) transaction.receive_body(options_.plan(transaction.head()));
      run_handler();
    };
    Post("/", with_body).Put("/", with_body).Patch("/", with_body).Delete("/", with_body);
    const auto on_error = [](const httplib::Request&, httplib::Response& response) {
      t_connection->own_status = response.status;
      return HandlerResponse::Unhandled;
    };
    set_error_handler(HandlerWithResponse(on_error));
  }

  /// Serves the clients of a listening socket until `stop_accepting`, then closes it.
  void listen(int listening_socket) {
    svr_sock_ = listening_socket;
    listen_after_bind();
  }

  /// Stops, and closes idle connections that have had at least `least_requests` requests.
  void stop_idle(std::size_t least_requests) {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    for (Connection* connection : connections_) {
      if (!connection->is_idle || connection->requests < least_requests) continue;
      ::shutdown(connection->stream.fd(), SHUT_RD);
    }
    changed_.notify_all();
  }

  /// Returns false if there are connections at the deadline.
  bool wait_until_drained(Clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, deadline,
                               [this] { return has_stopped_accepting_ && threads_ == 0; });
  }

  void break_connections() {
    const std::lock_guard lock(mutex_);
    for (Connection* connection : connections_) {
      connection->stream.cut_off();
    }
  }

 private:
  /// A thread for each connection, up to `max_workers`; further clients wait to be accepted.
  class ConnectionThreads : public httplib::TaskQueue {
   public:
    explicit ConnectionThreads(Server& server) : server_(server) {}

    // Newer versions of httplib expect a result that tells whether the task was accepted.
    using Taken = decltype(std::declval<httplib::TaskQueue&>().enqueue(nullptr));
    Taken enqueue(std::function<void()> serve) override {
      server_.start_thread(std::move(serve));
      return static_cast<Taken>(true);
    }
    void shutdown() override {
      std::unique_lock lock(server_.mutex_);
      server_.has_stopped_accepting_ = true;
      server_.changed_.notify_all();
      server_.changed_.wait(lock, [this] { return server_.threads_ == 0; });
    }

   private:
    Server& server_;
  };

  void start_thread(std::function<void()> serve) {
    constexpr std::chrono::milliseconds kRetryInterval{100};
    std::unique_lock lock(mutex_);
    while (true) {
      client_waits_ = threads_ >= options_.max_workers;
      while (threads_ >= options_.max_workers && !is_stopping_) wait_for_thread(lock);
      client_waits_ = false;
      try {
        std::thread([this, serve] {
          serve();
          const std::lock_guard thread_lock(mutex_);
          --threads_;
          changed_.notify_all();
        }).detach();
        ++threads_;
        return;
      } catch (const std::system_error&) {
        // The system has no more threads; retries when one of this queue ends.
        changed_.wait_for(lock, kRetryInterval);
      }
    }
  }

  /// Waits until a thread may have ended. Clients that stall in the handshake lock nobody out.
  void wait_for_thread(std::unique_lock<std::mutex>& lock) {
    if (!options_.tls) return changed_.wait(lock);
    end_oldest_handshake();
    changed_.wait_for(lock, kHandshakeCheck);
  }

  /// Unless it has just begun, or most connections are established. The caller holds the mutex.
  void end_oldest_handshake() {
    Connection* oldest = nullptr;
    std::size_t handshakes = 0;
    for (Connection* connection : connections_) {
      if (!connection->is_in_handshake || connection->stream.is_cut_off()) continue;
      ++handshakes;
      if (oldest == nullptr || connection->since < oldest->since) oldest = connection;
    }
    if (handshakes <= options_.max_workers / 2) return;
    if (Clock::now() - oldest->since >= kMinHandshakeTime) oldest->stream.cut_off();
  }

  /// Called by httplib for an accepted connection.
  bool process_and_close_socket(socket_t socket) override {
    FileDescriptor descriptor(socket);
    try {
      auto channel = options_.tls ? options_.tls->accept(descriptor.get()) : nullptr;
      Connection connection(Transport(std::move(descriptor), std::move(channel)), options_,
                            is_stopping_);
      const bool is_whole = serve_registered(connection);
      connection.stream.close(is_whole);
      return is_whole;
    } catch (const std::bad_alloc&) {
      return false;  // there is no memory for a connection
    }
  }

  bool serve_registered(Connection& connection) {
    const Registration registered(*this, connection);
    try {
      return serve(connection);
    } catch (...) {
      return false;  // there is no memory for a response outside a handler: the client sees the end
    }
  }

  /// Makes a connection known to its thread and to the functions that stop all connections.
  class Registration {
   public:
    Registration(Server& server, Connection& connection)
        : server_(server), connection_(connection) {
      const std::lock_guard lock(server_.mutex_);
      server_.connections_.insert(&connection_);
      t_connection = &connection_;
    }
    ~Registration() {
      t_connection = nullptr;
      const std::lock_guard lock(server_.mutex_);
      server_.connections_.erase(&connection_);
    }
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;

   private:
    Server& server_;
    Connection& connection_;
  };

  /// Returns whether the last response was sent as a whole.
  bool serve(Connection& connection) {
    bool is_whole = true;
    bool keeps_alive = shake_hands(connection);
    while (keeps_alive && wait_for_request(connection)) {
      receive_request(connection);
      if (connection.transaction) {
        is_whole = finish_request(*connection.transaction);
        keeps_alive = is_whole && !connection.transaction->closes();
      } else {
        reject(connection);
        keeps_alive = false;
      }
    }
    return is_whole;
  }

  /// Also true if there is no handshake.
  bool shake_hands(Connection& connection) {
    if (!options_.tls) return true;
    {
      const std::lock_guard lock(mutex_);
      connection.is_in_handshake = true;
    }
    auto timeout = options_.handshake_timeout;
    if (is_stopping_) timeout = std::min(timeout, kFirstRequestTime);
    const bool is_established = connection.stream.shake_hands(handshake_turns_, timeout);
    const std::lock_guard lock(mutex_);
    connection.is_in_handshake = false;
    return is_established;
  }

  bool wait_for_request(Connection& connection) {
    {
      const std::lock_guard lock(mutex_);
      connection.is_idle = true;
      if (is_stopping_ && connection.requests > 0) return false;
    }
    auto timeout =
        connection.requests == 0 ? options_.headers_timeout : options_.keep_alive_timeout;
    if (is_stopping_) timeout = std::min(timeout, kFirstRequestTime);
    if (!connection.stream.wait_for_request(timeout)) return false;
    const std::lock_guard lock(mutex_);
    connection.is_idle = false;
    return true;
  }

  /// Lets httplib read a request, up to the response.
  void receive_request(Connection& connection) {
    ++connection.requests;
    connection.transaction = nullptr;
    bool asked_to_close = false;  // ignored; the transaction decides
    const auto begin = [&](httplib::Request& request) { begin_request(connection, request); };
    const auto process = [&](auto& stream) {
      if constexpr (requires { this->process_request(stream, false, asked_to_close, begin); }) {
        this->process_request(stream, false, asked_to_close, begin);
      } else {
        this->process_request(stream, stream.remote_address(), 0, std::string(), 0, false,
                              asked_to_close, begin);
      }
    };
    process(connection.stream);
  }

  /// Parses the head again, because httplib skips invalid field lines and decodes percent sequences
  /// in others. Keeps only the fields that httplib needs to read the body; the layers above handle
  /// ranges, compression and forms.
  void begin_request(Connection& connection, httplib::Request& request) {
    const Transport& transport = connection.stream.transport();
    RequestHead head;
    head.remote_address = connection.stream.remote_address();
    head.is_secure = transport.is_secure();
    head.client_certificate = transport.client_certificate();
    Framing framing;
    connection.error =
        parse_request_head(connection.stream.head(), options_.max_header_count, head, framing);
    if (transport.is_cleartext_for_tls()) connection.error = {400, kExpectsTls};
    request.path = "/";
    request.params.clear();
    request.ranges.clear();
    request.headers.clear();
    const bool can_have_body = head.method == "POST" || head.method == "PUT" ||
                               head.method == "PATCH" ||
                               (head.method == "DELETE" && !framing.chunked);
    if (!connection.error && head.has_body && !can_have_body) {
      connection.error = {501,
                          "a body is only accepted with POST, PUT and PATCH, and of known length "
                          "with DELETE"};
    }
    if (connection.error) return;
    if (framing.chunked) request.set_header("Transfer-Encoding", "chunked");
    if (framing.content_length) {
      request.set_header("Content-Length", std::to_string(*framing.content_length));
    }
    connection.transaction = std::make_shared<HttplibTransaction>(
        std::move(head), framing, connection.stream, monitor_, is_last_request(connection));
  }

  bool is_last_request(const Connection& connection) const {
    return connection.requests == options_.max_requests_per_connection ||
           (connection.requests >= kTurn && client_waits_);
  }

  void run_handler() {
    try {
      handler_(t_connection->transaction);
    } catch (...) {
      // Handlers convert exceptions to responses; if that fails, there is no response.
    }
  }

  /// Returns false if the client did not receive the whole response.
  bool finish_request(HttplibTransaction& transaction) {
    if (!transaction.has_response()) {
      auto [head, body] = render_error_(500, "the handler sent no response");
      transaction.respond(std::move(head), body);
    }
    return transaction.finish();
  }

  void reject(Connection& connection) {
    // A client that closed its side within a head has sent no request.
    if (connection.stream.failure() == SocketStream::Failure::closed) return;
    const RequestError error = error_of(connection);
    const auto [head, body] = render_error_(error.status, error.message);
    detail::TextWriter bytes;
    write_response_head(bytes, head, BodyEnd::length, body.size(), ConnectionField::close);
    if (!connection.stream.head().starts_with("HEAD ")) bytes.put(body);
    connection.stream.send(bytes.content());
  }

  const AdapterOptions options_;
  const TransactionHandler handler_;
  const ErrorRenderer render_error_;
  DisconnectMonitor monitor_;
  /// Half of the processors are left for clients whose handshake is complete.
  HandshakeTurns handshake_turns_{std::max(std::thread::hardware_concurrency() / 2, 1U)};

  std::mutex mutex_;  ///< guards the following members
  std::condition_variable changed_;
  std::set<Connection*> connections_;
  std::size_t threads_ = 0;
  std::atomic<bool> is_stopping_ = false;  ///< set with the mutex
  /// Whether an accepted client waits until a thread ends; set with the mutex.
  std::atomic<bool> client_waits_ = false;
  bool has_stopped_accepting_ = false;
};

class HttplibAdapter final : public Adapter {
 public:
  HttplibAdapter() = default;
  HttplibAdapter(const HttplibAdapter&) = delete;
  HttplibAdapter& operator=(const HttplibAdapter&) = delete;
  ~HttplibAdapter() override {
    stop(std::chrono::milliseconds(0));
    if (thread_.joinable()) thread_.join();
  }

  void start(AdapterOptions options, TransactionHandler handler, ErrorRenderer error) override {
    if (server_) throw std::logic_error("the HTTP adapter was started before: create another one");
    if (!options.inherited_listeners.empty()) {
      throw std::logic_error("the httplib engine cannot take over listening sockets");
    }
    if (options.http2.cleartext || options.http2.over_tls) {
      throw std::logic_error("the httplib engine has no HTTP/2");
    }
    listener_.emplace(Listener::open(options));
    port_ = listener_->port();
    // httplib waits in `accept`, and closes the descriptor when that fails.
    const int socket = fcntl(listener_->socket().get(), F_DUPFD_CLOEXEC, 0);
    if (socket < 0) {
      throw std::system_error(errno, std::generic_category(), "cannot open the listening socket");
    }
    fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) & ~O_NONBLOCK);
    if (options.tls) certificates_.emplace(options.tls);
    server_.emplace(std::move(options), std::move(handler), std::move(error));
    thread_ = std::thread([this, socket] { server_->listen(socket); });
  }

  std::uint16_t port() const override { return port_; }

  bool stop(std::chrono::milliseconds grace) override {
    const std::lock_guard lock(stop_mutex_);
    if (!server_ || has_finished_) return true;
    const auto begin = Clock::now();
    // First, so that a client whose connection ends cannot open a new one.
    const auto time_to_accept = listener_->stop_accepting();
    server_->stop_idle(1);
    std::this_thread::sleep_for(std::min(grace, time_to_accept));
    // Otherwise clients that wait to be accepted would be reset.
    const auto last_accept = begin + std::min(grace, kFirstRequestTime);
    while (Clock::now() < last_accept &&
           wait_readable(listener_->socket().get(), std::chrono::milliseconds(0))) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    // Ends httplib's `accept`.
    if (::shutdown(listener_->socket().get(), SHUT_RDWR) != 0) server_->stop();
    has_finished_ = server_->wait_until_drained(last_accept);
    if (!has_finished_) {
      server_->stop_idle(0);
      has_finished_ = server_->wait_until_drained(begin + grace);
    }
    server_->break_connections();
    listener_->close();
    return has_finished_;
  }

 private:
  std::optional<Listener> listener_;
  std::uint16_t port_ = 0;
  std::optional<CertificateWatch> certificates_;
  std::optional<Server> server_;
  std::mutex stop_mutex_;
  bool has_finished_ = false;  ///< `stop` has completed
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Adapter> make_httplib_adapter() { return std::make_unique<HttplibAdapter>(); }

}  // namespace fw::http

// What programs ask for when they are linked with this engine; see runtime/CMakeLists.txt.
extern "C" void fairway_httplib_engine() {}
