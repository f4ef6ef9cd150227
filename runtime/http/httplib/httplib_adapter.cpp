// The portable engine: cpp-httplib's server accepts, parses requests, reads bodies and writes
// responses, with a thread for each connection.
#include <httplib.h>

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
#include <tuple>
#include <type_traits>
#include <unistd.h>
#include <utility>

#include "exchange/ascii.hpp"
#include "http/adapter.hpp"
#include "http/field_lines.hpp"
#include "http/httplib/httplib_transaction.hpp"
#include "http/httplib/socket_stream.hpp"
#include "http/listener.hpp"
#include "http/request_target.hpp"
#include "http/response_head.hpp"

namespace fw::http {
namespace {

using Clock = std::chrono::steady_clock;

/// One connection, which one thread has.
struct Connection {
  Connection(FileDescriptor socket, const AdapterOptions& options)
      : stream(std::move(socket), options) {}

  SocketStream stream;
  bool is_idle = true;  ///< guarded by the server's mutex
  std::size_t requests = 0;

  // Of the request that is at work.
  std::shared_ptr<HttplibTransaction> transaction;
  std::optional<Fault> fault;  ///< why no handler sees it
  Fields fields;               ///< of the response
  bool ends_by_close = false;  ///< the response has neither a length nor chunks
  bool closes = false;         ///< after the response
};

/// httplib's callbacks say nothing of the connection that they are about.
thread_local Connection* t_connection = nullptr;

/// Reads the rest of the head from the bytes as sent, as httplib skips field lines that it cannot
/// read and decodes percent sequences in the others; checks what it does not.
std::optional<Fault> complete_head(std::string_view field_lines, const AdapterOptions& options,
                                   RequestHead& head, Framing& framing) {
  if (const auto fault = parse_field_lines(field_lines, options.max_header_count, head.fields)) {
    return fault;
  }
  if (const auto fault = parse_framing(head.fields, framing)) return fault;
  if (!is_request_target(head.target)) {
    return Fault{400, "the request target has a character that targets cannot have"};
  }
  if (const auto fault = normalize_request_target(head)) return fault;
  head.content_length = framing.content_length;
  head.has_body = framing.has_body();
  const bool can_have_body = head.method == "POST" || head.method == "PUT" ||
                             head.method == "PATCH" ||
                             (head.method == "DELETE" && !framing.chunked);
  if (head.has_body && !can_have_body) {
    return Fault{501,
                 "a body is only accepted with POST, PUT and PATCH, and of known length with "
                 "DELETE"};
  }
  return std::nullopt;
}

/// Why httplib has refused a request by itself.
Fault refusal_of(const Connection& connection, int status) {
  if (connection.stream.failure() == SocketStream::Failure::timed_out) {
    return {408, "the request took too long"};
  }
  if (connection.stream.failure() == SocketStream::Failure::head_too_large) {
    return {431, "the request head is too large"};
  }
  if (status == 414) return {414, "the request target is too long"};
  if (status == 416) return {416, "Range is malformed"};
  return {400, "the request line or a header line is malformed"};
}

class Server : public httplib::Server {
 public:
  Server(AdapterOptions options, TransactionHandler handler, FaultRenderer render_fault)
      : options_(std::move(options)),
        handler_(std::move(handler)),
        render_fault_(std::move(render_fault)) {
    new_task_queue = [this] { return new ConnectionThreads(*this); };
    set_payload_max_length(std::numeric_limits<std::size_t>::max());
    set_pre_routing_handler([this](const httplib::Request&, httplib::Response& response) {
      Connection& connection = *t_connection;
      if (!connection.fault) {
        // httplib reads the body for its routes only.
        if (!connection.transaction->has_whole_body()) return HandlerResponse::Unhandled;
        run_handler(connection);
      }
      fill(connection, response);
      return HandlerResponse::Handled;
    });
    const auto with_body = [this](const httplib::Request&, httplib::Response& response,
                                  const httplib::ContentReader& reader) {
      Connection& connection = *t_connection;
      connection.transaction->set_reader(reader);
      run_handler(connection);
      fill(connection, response);
    };
    Post("/", with_body).Put("/", with_body).Patch("/", with_body).Delete("/", with_body);
    const auto on_error = [this](const httplib::Request&, httplib::Response& response) {
      Connection& connection = *t_connection;
      if (connection.fields.empty()) {
        connection.fault = refusal_of(connection, response.status);
        fill(connection, response);
      }
      return HandlerResponse::Handled;
    };
    set_error_handler(HandlerWithResponse(on_error));
    set_post_routing_handler([](const httplib::Request&, httplib::Response& response) {
      replace_fields(*t_connection, response);
    });
  }

  /// Serves the clients of a listening socket, which it closes, until `stop_accepting`.
  void listen(int listening_socket) {
    svr_sock_ = listening_socket;
    listen_after_bind();
  }

  void begin_stop() {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    for (Connection* connection : connections_) {
      if (connection->is_idle) ::shutdown(connection->stream.fd(), SHUT_RD);
    }
    changed_.notify_all();
  }

  /// False if there are connections left at the deadline.
  bool wait_until_drained(Clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, deadline,
                               [this] { return has_stopped_accepting_ && threads_ == 0; });
  }

  void break_connections() {
    const std::lock_guard lock(mutex_);
    for (Connection* connection : connections_) {
      ::shutdown(connection->stream.fd(), SHUT_RDWR);
    }
  }

 private:
  /// A thread for each connection, up to `max_workers`: beyond them clients wait to be accepted.
  class ConnectionThreads : public httplib::TaskQueue {
   public:
    explicit ConnectionThreads(Server& server) : server_(server) {}

    // Newer versions of httplib are told whether the task was taken.
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
      changed_.wait(lock, [this] { return threads_ < options_.max_workers || is_stopping_; });
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
        // The system has no more of them: one of ours may end.
        changed_.wait_for(lock, kRetryInterval);
      }
    }
  }

  /// What httplib runs for an accepted connection.
  bool process_and_close_socket(socket_t socket) override {
    Connection connection(FileDescriptor(socket), options_);
    {
      const std::lock_guard lock(mutex_);
      connections_.insert(&connection);
    }
    t_connection = &connection;
    bool is_whole = true;
    while (is_whole && !connection.closes && wait_for_request(connection)) {
      is_whole = serve_request(connection);
    }
    t_connection = nullptr;
    {
      const std::lock_guard lock(mutex_);
      connections_.erase(&connection);
    }
    if (is_whole || !connection.ends_by_close) {
      connection.stream.close_gently();
    } else {
      connection.stream.reset();
    }
    return is_whole;
  }

  bool wait_for_request(Connection& connection) {
    {
      const std::lock_guard lock(mutex_);
      connection.is_idle = true;
      if (is_stopping_) return false;
    }
    const auto timeout =
        connection.requests == 0 ? options_.headers_timeout : options_.keep_alive_timeout;
    if (!connection.stream.wait_for_request(timeout)) return false;
    const std::lock_guard lock(mutex_);
    connection.is_idle = false;
    return true;
  }

  /// False if the response could not be written whole.
  bool serve_request(Connection& connection) {
    ++connection.requests;
    connection.transaction = nullptr;
    connection.fault.reset();
    connection.fields.clear();
    connection.ends_by_close = false;
    bool asked_to_close = false;
    const auto begin = [&](httplib::Request& request) { begin_request(connection, request); };
    connection.stream.begin_response();
    const bool is_whole = process(connection.stream, asked_to_close, begin);
    // `fill` knows better: httplib 0.11 takes "keep-alive" in small letters for the opposite.
    static_cast<void>(asked_to_close);
    if (connection.transaction) connection.transaction->end(!is_whole);
    return is_whole;
  }

  template <class Begin>
  bool process(httplib::Stream& stream, bool& asked_to_close, const Begin& begin) {
    if constexpr (requires { this->process_request(stream, false, asked_to_close, begin); }) {
      return this->process_request(stream, false, asked_to_close, begin);
    } else {
      const std::string& address = t_connection->stream.remote_address();
      return this->process_request(stream, address, 0, std::string(), 0, false, asked_to_close,
                                   begin);
    }
  }

  /// Takes the request over, and leaves to httplib only what the reading of the body depends on:
  /// ranges, compression and forms are for the layers above.
  void begin_request(Connection& connection, httplib::Request& request) {
    RequestHead head;
    head.method = request.method;
    head.target = request.target;
    head.remote_address = connection.stream.remote_address();
    Framing framing;
    framing.is_http_1_0 = request.version == "HTTP/1.0";
    connection.fault = complete_head(connection.stream.field_lines(), options_, head, framing);
    request.path = "/";
    request.params.clear();
    request.ranges.clear();
    request.headers.clear();
    if (connection.fault) return;
    if (framing.chunked) request.set_header("Transfer-Encoding", "chunked");
    if (framing.content_length) {
      request.set_header("Content-Length", std::to_string(*framing.content_length));
    }
    if (framing.expects_continue && is_body_welcome(head)) {
      request.set_header("Expect", "100-continue");
    }
    connection.transaction =
        std::make_shared<HttplibTransaction>(std::move(head), framing, connection.stream, monitor_);
  }

  bool is_body_welcome(const RequestHead& head) const {
    if (!options_.body_limit) return true;
    const auto limit = options_.body_limit(head);
    return limit > 0 && head.content_length.value_or(0) <= limit;
  }

  void run_handler(Connection& connection) {
    try {
      handler_(connection.transaction);
    } catch (...) {
      // Handlers turn what is thrown into responses; one that fails at that has none.
    }
  }

  /// Gives httplib what the handler has responded, or why there was none to run.
  void fill(Connection& connection, httplib::Response& response) {
    connection.stream.begin_response();
    HttplibTransaction::Response rendered;
    auto* source = connection.transaction ? connection.transaction->end_handler() : nullptr;
    if (source == nullptr) {
      const Fault fault = connection.fault.value_or(Fault{500, "the request was not answered"});
      std::tie(rendered.head, rendered.body) = render_fault_(fault.status, fault.message);
      source = &rendered;
    }
    const auto transaction = connection.transaction;
    const bool is_http_1_0 = transaction && transaction->framing().is_http_1_0;
    // Old versions of httplib are lax about where chunks end: what follows may be of the body.
    connection.closes |= !transaction || !transaction->framing().keep_alive ||
                         transaction->framing().chunked || !transaction->has_whole_body() ||
                         asks_to_close(source->head) || is_last_request(connection);
    response.status = source->head.status;
    if (!allows_body(response.status)) {
      // Neither body nor length.
    } else if (!source->produce) {
      response.body = std::move(source->body);
    } else if (source->length) {
      if (*source->length > 0) {
        response.set_content_provider(
            *source->length, std::string(),
            [transaction](std::size_t, std::size_t, httplib::DataSink& sink) {
              return transaction->pump(sink);
            });
      }
    } else {
      const auto pump = [transaction](std::size_t, httplib::DataSink& sink) {
        return transaction->pump(sink);
      };
      connection.ends_by_close = is_http_1_0;
      connection.closes |= is_http_1_0;
      if (is_http_1_0) {
        response.set_content_provider(std::string(), pump);
      } else {
        response.set_chunked_content_provider(std::string(), pump);
      }
    }
    bool has_date = false;
    for (auto& [name, value] : source->head.fields) {
      if (is_framing_field(name)) continue;
      has_date |= detail::equal_ignoring_case(name, "date");
      connection.fields.emplace_back(name, value);
    }
    if (!has_date) connection.fields.emplace_back("Date", current_date());
    if (connection.closes) {
      connection.fields.emplace_back("Connection", "close");
    } else if (is_http_1_0) {
      connection.fields.emplace_back("Connection", "keep-alive");
    }
  }

  bool is_last_request(const Connection& connection) {
    const std::lock_guard lock(mutex_);
    return is_stopping_ || connection.requests == options_.max_requests_per_connection;
  }

  /// Instead of what httplib adds to the fields by itself; the framing is its own.
  static void replace_fields(const Connection& connection, httplib::Response& response) {
    httplib::Headers fields;
    if (allows_body(response.status)) {
      for (const char* name : {"Content-Length", "Transfer-Encoding"}) {
        if (response.has_header(name)) fields.emplace(name, response.get_header_value(name));
      }
    }
    for (const auto& [name, value] : connection.fields) fields.emplace(name, value);
    response.headers = std::move(fields);
  }

  const AdapterOptions options_;
  const TransactionHandler handler_;
  const FaultRenderer render_fault_;
  DisconnectMonitor monitor_;

  std::mutex mutex_;  ///< of what follows
  std::condition_variable changed_;
  std::set<Connection*> connections_;
  std::size_t threads_ = 0;
  bool is_stopping_ = false;
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

  void start(AdapterOptions options, TransactionHandler handler, FaultRenderer fault) override {
    if (server_) throw std::logic_error("the HTTP adapter was started before: make another one");
    if (!options.inherited_listeners.empty()) {
      throw std::logic_error("the httplib engine cannot take over listening sockets");
    }
    listener_.emplace(Listener::open(options));
    port_ = listener_->port();
    // httplib waits in `accept`, and closes the descriptor when that fails.
    const int socket = fcntl(listener_->socket().get(), F_DUPFD_CLOEXEC, 0);
    if (socket < 0) {
      throw std::system_error(errno, std::generic_category(), "cannot open the listening socket");
    }
    fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) & ~O_NONBLOCK);
    server_.emplace(std::move(options), std::move(handler), std::move(fault));
    thread_ = std::thread([this, socket] { server_->listen(socket); });
  }

  std::uint16_t port() const override { return port_; }

  bool stop(std::chrono::milliseconds grace) override {
    const std::lock_guard lock(stop_mutex_);
    if (!server_ || has_finished_) return true;
    const auto deadline = Clock::now() + grace;
    // Ends httplib's `accept`. Where that takes the socket's end, streams that have not begun get
    // none.
    if (::shutdown(listener_->socket().get(), SHUT_RDWR) != 0) server_->stop();
    server_->begin_stop();
    has_finished_ = server_->wait_until_drained(deadline);
    server_->break_connections();
    listener_->close();
    return has_finished_;
  }

 private:
  std::optional<Listener> listener_;
  std::uint16_t port_ = 0;
  std::optional<Server> server_;
  std::mutex stop_mutex_;
  bool has_finished_ = false;  ///< `stop` found nothing left to do
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Adapter> make_httplib_adapter() { return std::make_unique<HttplibAdapter>(); }

}  // namespace fw::http
