// The interface between the HTTP engine and the pipeline. The engine (adapter) owns sockets,
// threads and framing; the layers above do not know which engine is in use.
#pragma once

#include <fairway/client_certificate.hpp>
#include <fairway/config.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/buffer_budget.hpp"
#include "http/disconnect_callback.hpp"
#include "http/file_part.hpp"
#include "http/header_fields.hpp"
#include "http/secure_channel.hpp"
#include "http/socket_peer.hpp"

namespace fw::http {

/// The head of a request, as received. Views and fields live as long as the transaction.
struct RequestHead {
  std::string_view method;  ///< a constant; methods are case-sensitive
  std::string target;       ///< origin form as sent: path and query, not decoded
  Fields fields;
  std::string remote_address;  ///< of the socket, without port; "unix" for a unix socket
  bool is_secure = false;      ///< received over TLS
  std::shared_ptr<const ClientCertificate> client_certificate = {};  ///< null: none was shown
  bool has_body = false;        ///< Content-Length above 0 or chunked
  bool has_whole_body = false;  ///< it is known to have arrived when the request is prepared
  /// A request of HTTP/2 for a socket: CONNECT with the protocol 'websocket' (RFC 8441). For the
  /// application, it has the method GET, as with HTTP/1.1.
  bool opens_socket = false;
  std::optional<std::uint64_t> content_length;
};

/// The adapter sets Content-Length and Transfer-Encoding and ignores fields with these names.
/// `Connection: close` is honoured, and a Date field replaces the adapter's.
struct ResponseHead {
  int status = 200;
  Fields fields;
};

/// Writes the next bytes of a streamed body into the buffer and returns their number; 0 ends the
/// body. May throw: the connection is then reset, so that the client notices.
using BodyProducer = std::function<std::size_t(std::span<char>)>;

/// Called once when the producer will not be called again, with the exception of the producer, if
/// it threw one. Must not throw. May be empty.
using StreamEnd = std::function<void(const std::exception_ptr&)>;

/// Lets the next part of a `PushedBody` be taken. Thread-safe.
class BodyWaker {
 public:
  virtual ~BodyWaker() = default;
  virtual void wake() noexcept = 0;
};

/// A body that is sent whenever it has something, long after the handler has returned. No thread
/// waits for it. Except for the destructor, the functions are called by one thread at a time.
class PushedBody {
 public:
  virtual ~PushedBody() = default;

  /// The number of bytes, which becomes Content-Length; nothing if it is not known. The response is
  /// cut off if the body has fewer.
  virtual std::optional<std::uint64_t> length() const noexcept { return std::nullopt; }
  /// Bytes that are taken at once. For a slow client, they are in memory beside what waits in the
  /// body.
  virtual std::size_t part_size() const noexcept { return std::size_t{16} * 1024; }

  /// Called before the first `take`. From then on, the body calls the waker when there is something
  /// to take after `take` has returned nothing, and when `is_broken` changes. `buffers` may count
  /// what waits in the body; null: nothing counts it. It may outlive the engine.
  virtual void begin(std::weak_ptr<BodyWaker> waker,
                     std::shared_ptr<BufferBudget> buffers) noexcept = 0;
  /// The bytes that the body has counted, which the client has not accepted. May be called at any
  /// time.
  virtual std::size_t waiting() const noexcept { return 0; }
  /// Frees these bytes at once, because memory is short: the response is being cut off, and nothing
  /// more is taken. Must not call the waker.
  virtual void discard() noexcept {}

  struct Part {
    std::size_t size = 0;  ///< bytes in the buffer; 0: nothing until the waker is called
    bool is_last = false;
  };
  /// Empty if the body is broken, so that what was taken is never followed by the end of a complete
  /// response.
  virtual std::optional<Part> take(std::span<char> buffer) noexcept = 0;
  /// The client accepts nothing more at the moment; until the next `take`. Returns false if it has
  /// read so slowly that it must be disconnected: the body is broken then.
  [[nodiscard]] virtual bool may_wait() noexcept = 0;
  /// The response must be cut off at once. May be called at any time.
  virtual bool is_broken() const noexcept = 0;

  /// What is sent if there was nothing for `heartbeat_interval`, so that a disconnect is
  /// detected. It is short. Empty: nothing is sent.
  virtual std::string_view heartbeat() const noexcept = 0;
  virtual std::chrono::milliseconds heartbeat_interval() const noexcept = 0;

  /// The server stops: the body should end. May be called repeatedly.
  virtual void stop() noexcept = 0;
  /// Called once when nothing more is taken. `is_complete`: the last part was taken; otherwise, the
  /// client has disconnected, or the body is broken. False also if the response has no body.
  virtual void end(bool is_complete) noexcept = 0;
};

enum class BodyStatus {
  complete,
  too_large,
  disconnected,
  malformed,
  timed_out,
  unavailable,  ///< `max_buffered_bytes` does not allow it
};

/// The result of reading a part of a body.
struct BodyPart {
  std::size_t size = 0;  ///< bytes; 0: the body has ended, with `status`
  BodyStatus status = BodyStatus::complete;
};

/// A request that waits for the operation that `RequestPlan::prepare` has started.
class WaitingRequest {
 public:
  virtual ~WaitingRequest() = default;
  /// Lets the request be handled. Must be called once; on any thread.
  virtual void resume() noexcept = 0;
};

/// What the layers above have found out about a request when its head has arrived. Lives as long as
/// the transaction, which is given to the handler.
class RequestPlan {
 public:
  virtual ~RequestPlan() = default;

  /// The size up to which the body is received before the request is handled, so that a slow client
  /// occupies no thread: the limit that the handler will pass to `read_body`. With 0, the handler
  /// runs at once.
  virtual std::uint64_t body_limit() const = 0;

  /// Starts an operation whose result the handler needs, such as reading from a store, so that no
  /// thread waits for it. Returns false if there is none; otherwise the request is handled after
  /// `resume`, which may be called before this function returns. If the connection fails in the
  /// meantime, the request is not handled. Called once, after the body has arrived if it is
  /// awaited, and not by every engine; on any worker.
  virtual bool prepare(const RequestHead& head,
                       const std::shared_ptr<WaitingRequest>& request) noexcept = 0;

  /// Whether that operation ends when the client closes its side, as other waits for the work of
  /// another request do. The request is not handled then.
  virtual bool ends_with_client() const noexcept { return false; }
};

/// One request and its one response. Shared between the worker that runs the handler and others
/// that may respond first (a deadline): the first response wins, later ones return false and send
/// nothing.
class Transaction {
 public:
  virtual ~Transaction() = default;

  virtual const RequestHead& head() const = 0;

  /// Reads the whole body, at most `limit` bytes, on the calling thread. Must be called only once.
  /// Does not wait for a body that `body_limit` allowed, because it has been received already.
  /// Sends 100 Continue first if the client expects it. A body beyond the limit is not read to its
  /// end: the connection closes after the response. Returns `disconnected` also if another thread
  /// has responded meanwhile, and `timed_out` after `request_timeout`.
  virtual BodyStatus read_body(std::uint64_t limit, std::string& body) = 0;

  /// Reads the next bytes of the body into `buffer`, which must not be empty, and waits for them on
  /// the calling thread. Nothing is received between calls, and only the time that is spent here
  /// counts for `request_timeout` and `min_data_rate`. Returns `timed_out` also after `until`. Must
  /// be called by one thread at a time, and not after `read_body`. Returns no more bytes after the
  /// response has begun. Otherwise like `read_body`.
  virtual BodyPart read_body_part(std::uint64_t limit, std::span<char> buffer,
                                  std::chrono::steady_clock::time_point until) = 0;

  /// Responds with a complete body; Content-Length is set (HEAD, 204 and 304 send no body bytes).
  /// For HEAD, Content-Length is the size of `body`. Does not wait for slow clients. Returns false
  /// if another thread has responded. Thread-safe. Throws std::invalid_argument without sending
  /// anything for a status outside 200 to 599 or a field with control characters.
  virtual bool respond(const ResponseHead& head, std::string_view body) = 0;

  /// Responds with a streamed body: with Content-Length if `length` is known, chunked otherwise.
  /// Calls `produce` as fast as the client reads (back-pressure), until it ends, the client
  /// disconnects, or the client is slower than `send_timeout` or `min_data_rate` allow. Does not
  /// wait for this: workers call `produce`, one at a time, after the handler has returned, and only
  /// when the client reads. An exception of `produce`, or an end before `length`, resets the
  /// connection. Otherwise like `respond`; if it returns false or throws, neither function is
  /// called. `ended` is called when the last bytes are being sent.
  virtual bool respond_stream(const ResponseHead& head, std::optional<std::uint64_t> length,
                              BodyProducer produce, StreamEnd ended) = 0;

  /// Like `respond_stream`, with a part of a file. If the file has become shorter, the connection
  /// is reset. The descriptor may be shared, because its position is not used. This implementation
  /// reads the file; engines may override it.
  virtual bool respond_file(const ResponseHead& head, FilePart part, StreamEnd ended);

  /// Responds with a body that outlives the handler. What the client accepts slowly waits in the
  /// body, except for a part. `send_timeout` and `min_data_rate` apply while the body has
  /// something; when it has had nothing, they begin again. The client is not watched by reading, so
  /// a half-closed connection gets a heartbeat at once, which tells whether it has gone. Otherwise
  /// like `respond_stream`; `end` of the body is also called if the response has no body, but not
  /// if this returns false or throws. This implementation is for requests without a client.
  virtual bool respond_pushed(const ResponseHead&, std::shared_ptr<PushedBody>) { return false; }
  /// Whether a pushed body that has nothing occupies no thread.
  virtual bool pushes_without_thread() const { return false; }

  /// Whether `respond_socket` can open a socket: the engine has them for this version of HTTP.
  virtual bool can_open_socket() const { return false; }
  /// Responds with the fields of the head and 101, or with HTTP/2 200, and makes the connection or
  /// the stream a socket: what follows are its frames (RFC 6455). The request must have passed
  /// `websocket::find_handshake_error`. Otherwise like `respond_pushed`.
  virtual bool respond_socket(const ResponseHead&, std::shared_ptr<SocketPeer>) { return false; }

  /// Whether a response has been sent, or its sending has begun.
  virtual bool has_response() const = 0;

  /// Sets a callback that is called at most once, on any thread, when the client closes its side or
  /// the connection fails before the response is complete, also because the source of a stream has
  /// failed; if this has already happened, at once on the calling thread. With TCP, a client that
  /// is gone looks like one that has only finished sending (a FIN): the callback is called for
  /// both, and the response is still sent. The callback must not throw. It may run in parallel to
  /// the thread of the request, so it should own the data that it uses. Replaces a callback that
  /// was set before and has not been called. Ignored after the response has been sent, or
  /// `respond_pushed` or `respond_socket` was called: for these, the callback that was set before
  /// them remains.
  virtual void on_disconnect(DisconnectCallback callback) = 0;

  /// Called by the thread of the handler before and after it waits for another request. Others get
  /// another thread meanwhile, up to a bound: if it is reached, `begin_wait` returns false, and the
  /// thread must not wait. It also does if the `others`, the threads that wait for the same, are as
  /// many as may still wait for anything else, so that no waits leave no room for different ones.
  virtual bool begin_wait([[maybe_unused]] std::size_t others) { return true; }
  virtual void end_wait() {}

  /// The version of HTTP in which the request was sent: "1.0", "1.1" or "2".
  virtual std::string_view http_version() const { return "1.1"; }

  /// How long the request has waited for a thread, as far as the engine knows: it may have been a
  /// few milliseconds longer.
  std::chrono::milliseconds queued_for() const { return queued_for_; }

  /// What `AdapterOptions::plan` has returned for this request; null if it was not called. Does
  /// not change while the request is handled.
  virtual RequestPlan* plan() const { return nullptr; }

 protected:
  /// Set before the request is handled. A member instead of a virtual function, because it is read
  /// up to twice for each request that is measured.
  std::chrono::milliseconds queued_for_{0};
};

/// Called on a worker thread when a request head is complete and well-formed. The handler must
/// respond before it returns, unless another thread has responded. If it does not, or if it throws,
/// a 500 is sent.
using TransactionHandler = std::function<void(const std::shared_ptr<Transaction>&)>;

/// An error for which the adapter itself responds, before the handler is called: the status, and a
/// static message for the developer of the client.
struct RequestError {
  int status = 400;
  std::string_view message;
};

/// Renders the error responses of the adapter (400, 408, 414, 417, 431, 500, 501, 503, 505),
/// because the layers above define the format of errors. Called on any worker; must not throw.
using ErrorRenderer =
    std::function<std::pair<ResponseHead, std::string>(int status, std::string_view message)>;

/// The minimum speed of a client. A transfer may be slower than `bytes_per_second` only for `grace`
/// at its beginning.
struct DataRate {
  std::uint64_t bytes_per_second = 0;  ///< 0: no minimum
  std::chrono::milliseconds grace{5'000};

  /// The milliseconds that the transfer of `bytes` bytes may take.
  std::int64_t max_duration(std::uint64_t bytes) const {
    constexpr std::uint64_t kForever = std::numeric_limits<std::int32_t>::max();
    if (bytes_per_second == 0 || bytes / bytes_per_second >= kForever / 1'000) return kForever;
    return grace.count() + static_cast<std::int64_t>(bytes * 1'000 / bytes_per_second);
  }
};

/// Where HTTP/2 is spoken, and its limits.
struct Http2Options {
  bool over_tls;   ///< to clients that choose it (ALPN); `AdapterOptions::tls` offers it
  bool cleartext;  ///< to clients that begin with its preface
  std::size_t max_concurrent_streams;  ///< of each connection
};

/// What an engine is started with. `Config` has the defaults.
struct AdapterOptions {
  /// With what the configuration says, which must have no errors, and without certificates,
  /// inherited listeners and functions.
  explicit AdapterOptions(const Config& config);

  std::string host;
  std::uint16_t port;       ///< 0: any free port, see `Adapter::port`
  std::string unix_socket;  ///< path to listen on instead of host and port
  unsigned unix_socket_mode;
  int backlog;
  bool reuse_port;
  /// Listening sockets to use instead of opening one. The first one belongs to this adapter, the
  /// others to sibling processes, whose clients it accepts if they have to wait.
  std::vector<int> inherited_listeners = {};
  /// Serves TLS only; null: cleartext.
  std::shared_ptr<SecureServer> tls = {};
  std::chrono::milliseconds handshake_timeout;  ///< of TLS
  Http2Options http2;  ///< engines without HTTP/2 throw std::logic_error if it is used
  /// Workers that are not blocked by waiting handlers; 0: one per processor, at least 2.
  std::size_t min_workers;
  std::size_t max_workers;                  ///< the pool grows up to this size while handlers wait
  std::size_t max_connections;              ///< up to half of them in a handshake of TLS
  std::size_t max_connections_per_address;  ///< 0: no limit
  std::size_t max_requests_per_connection;  ///< 0: no limit
  std::size_t max_header_size;              ///< bytes of the whole head; 431 if exceeded
  std::size_t max_header_count;             ///< fields; 431 if exceeded
  /// Total bytes of request bodies and of unsent responses in memory. If it is exceeded, requests
  /// with bodies get a 503 and responses are cut off; if more than three quarters are in use, this
  /// happens to the slowest connections.
  std::size_t max_buffered_bytes;
  /// Counts these bytes, and what else the application counts in it; null: one of the engine's own.
  std::shared_ptr<BufferBudget> buffers = {};
  std::chrono::milliseconds keep_alive_timeout;
  std::chrono::milliseconds headers_timeout;
  std::chrono::milliseconds request_timeout;  ///< for receiving the body
  std::chrono::milliseconds send_timeout;     ///< for a client that accepts no data
  DataRate min_data_rate;                     ///< of request bodies and of responses
  /// Maximum time that a request waits for a worker; 503 then. 0: no limit.
  std::chrono::milliseconds queue_timeout;
  std::chrono::milliseconds worker_idle_timeout;  ///< after which the pool shrinks
  /// Interval at which freed memory is returned to the system while no request is handled; 0:
  /// never.
  std::chrono::milliseconds trim_interval;
  /// Plans a request whose head has arrived. Called for requests whose body has not, and for all
  /// others if `prepares_requests`; at most once each, on any worker. Must not throw. Returns null
  /// if nothing is planned. If it is empty, no body is received in advance.
  std::function<std::unique_ptr<RequestPlan>(const RequestHead&)> plan = {};
  /// Whether requests may have something to prepare.
  bool prepares_requests = false;
  /// Called with the number of requests that `queue_timeout` has ended since the last call, at most
  /// once a second. May be empty.
  std::function<void(std::size_t)> report_late = {};
  /// Likewise, with the number of connections that were closed because of a flood of frames.
  std::function<void(std::size_t)> report_floods = {};
  /// Likewise, with the number of times that a client could not be accepted because the system
  /// lacks descriptors, memory or the like, and the last error, as in `errno`. Such clients wait,
  /// or are disconnected.
  std::function<void(std::size_t, int)> report_failed_accepts = {};
};

/// What a client of HTTP/2 has sent too much of; docs/http2.md, "Floods".
enum class Flood : std::uint8_t {
  resets,         ///< canceled and malformed requests, and resets of streams that have ended
  frames,         ///< frames without a head or content, and acknowledgments that it does not read
  continuations,  ///< of one head
  fields,         ///< bytes of one head, or of trailers
};
inline constexpr std::size_t kFloods = 4;
/// The connections that were closed because of a flood, by its kind.
using FloodCounts = std::array<std::uint64_t, kFloods>;

/// What an engine has and does at the moment.
struct AdapterFigures {
  std::size_t workers = 0;
  std::size_t busy_workers = 0;            ///< workers that are handling an event
  std::size_t connections = 0;             ///< open ones
  std::optional<FloodCounts> floods = {};  ///< since the start; without HTTP/2, there are none
};

class Adapter {
 public:
  virtual ~Adapter() = default;
  /// Binds and starts accepting; returns once the port is open. Throws std::system_error, also if
  /// no thread can be started.
  virtual void start(AdapterOptions options, TransactionHandler handler, ErrorRenderer error) = 0;
  /// Whether requests of HTTP/1.1 can become sockets.
  virtual bool has_sockets() const { return false; }
  /// The port that is open; 0 before `start`.
  virtual std::uint16_t port() const = 0;
  /// Empty before `start`, and for engines that do not count. Thread-safe.
  virtual std::optional<AdapterFigures> figures() const { return std::nullopt; }
  /// Returns when the descriptor is readable. Until then, the engine may use the calling thread
  /// instead of one of its own. Called by one thread, after `start`, and not during `stop`.
  virtual void wait_until_readable(int descriptor);
  /// Stops accepting, closes idle connections, waits for running requests up to `grace`, then
  /// closes the remaining connections. Returns whether everything finished in time. Idempotent.
  /// Never waits longer than `grace`; the destructor waits until all handlers have returned.
  virtual bool stop(std::chrono::milliseconds grace) = 0;
};

/// The default engine, based on epoll. Only in builds with FAIRWAY_EPOLL.
std::unique_ptr<Adapter> make_epoll_adapter();

/// The portable engine: cpp-httplib's server, with a thread for each connection: up to
/// `max_workers` connections are open, and further clients wait. It does not support `min_workers`,
/// `worker_idle_timeout`, `queue_timeout`, `max_connections`, `max_connections_per_address`,
/// `max_buffered_bytes` and `trim_interval`; the configuration rejects them for this engine. It
/// never calls `RequestPlan::prepare`, and has no sockets. It does not support inherited listeners:
/// `start` throws std::logic_error. A response from another thread than the handler's ends the
/// connection. In builds with FAIRWAY_EPOLL, only programs that are linked with
/// fairway::httplib_engine have it.
std::unique_ptr<Adapter> make_httplib_adapter();

/// Whether this program has it.
bool has_httplib_engine();

/// Creates the configured engine, which the program must have.
std::unique_ptr<Adapter> make_adapter(HttpEngine engine);

}  // namespace fw::http
