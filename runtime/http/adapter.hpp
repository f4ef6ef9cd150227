// What the pipeline sees of HTTP: a transaction to respond to. The adapter owns sockets, threads
// and framing; nothing above this header knows which HTTP library is below it.
#pragma once

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

namespace fw::http {

/// Header fields in the order and spelling of the wire.
using Fields = std::vector<std::pair<std::string, std::string>>;

/// The head of a request, as received. Views and fields live as long as the transaction.
struct RequestHead {
  std::string method;  ///< as sent: methods are case-sensitive
  std::string target;  ///< origin form as sent: path and query, not decoded
  Fields fields;
  std::string remote_address;  ///< of the socket, without port; "unix" for a unix socket
  bool has_body = false;       ///< Content-Length above 0 or chunked
  std::optional<std::uint64_t> content_length;
};

/// Content-Length and Transfer-Encoding are the adapter's: fields of these names are left out.
/// `Connection: close` is honoured, a Date field replaces the adapter's own.
struct ResponseHead {
  int status = 200;
  Fields fields;
};

/// Pulls the next bytes of a streamed body into the buffer; 0 ends it. May throw: the connection is
/// then broken so that the client can tell.
using BodyProducer = std::function<std::size_t(std::span<char>)>;

/// Told, once, that nothing is pulled any more, with what the producer threw, if it did. Must not
/// throw. May be empty.
using StreamEnd = std::function<void(const std::exception_ptr&)>;

enum class BodyStatus {
  complete,
  too_large,
  disconnected,
  malformed,
  timed_out,
  unavailable,  ///< there is no memory for it: `max_buffered_bytes`
};

/// One request and its one response. Shared between the worker that runs the handler and others
/// that may respond first (a deadline): the first response wins, later ones return false and send
/// nothing.
class Transaction {
 public:
  virtual ~Transaction() = default;

  virtual const RequestHead& head() const = 0;

  /// Reads the whole body, at most `limit` bytes, on the calling thread; to be called once, by one
  /// thread. Does not wait for a body that `body_limit` allowed: it is there, or will not come.
  /// Sends 100 Continue first when the client waits for it. A body past the limit is not read on:
  /// the connection then closes after the response. `disconnected` is also what a reader sees when
  /// another thread has responded meanwhile. `timed_out`: after `request_timeout`.
  virtual BodyStatus read_body(std::uint64_t limit, std::string& body) = 0;

  /// Responds with a complete body; Content-Length is set (HEAD, 204 and 304 send no body bytes).
  /// For HEAD the length of `body` is still announced. Does not wait for a client that reads
  /// slowly. False when another thread has responded. Thread-safe. Throws std::invalid_argument,
  /// nothing sent, for a status outside 200 to 599 or a field that would break the message (line
  /// breaks).
  virtual bool respond(ResponseHead head, std::string_view body) = 0;

  /// Responds with a streamed body: Content-Length when `length` is known, chunked otherwise. Pulls
  /// from `produce` as the client reads (back-pressure), until it ends, the client goes away or
  /// takes too little for `send_timeout` or `min_data_rate`. Does not wait for that: pulls on
  /// workers, one after the other, once the handler has returned, and on none while the client does
  /// not read. What `produce` throws breaks the connection; a producer that ends before `length`
  /// does so too. Otherwise as `respond`; when it returns false or throws, neither function is
  /// called. `ended` comes when the last bytes are on their way.
  virtual bool respond_stream(ResponseHead head, std::optional<std::uint64_t> length,
                              BodyProducer produce, StreamEnd ended) = 0;

  /// True once a response is being sent, or has been.
  virtual bool has_response() const = 0;

  /// Called at most once, on some thread, when the client closes its side or the connection breaks
  /// before the response is complete; at once, on the calling thread, when that has happened
  /// already. TCP shows a client that is gone and one that only has nothing more to send in the
  /// same way (a FIN), so both are told, and the response is still sent: the latter reads it. The
  /// callback must not throw, and it may run while the request's own thread goes on: let it own
  /// what it uses.
  virtual void on_disconnect(std::function<void()> callback) = 0;
};

/// What the adapter calls, on a worker thread, once a request head is complete and well-formed. The
/// handler must respond before it returns, unless another thread already has (a 500 is sent for one
/// that does not, or that throws).
using TransactionHandler = std::function<void(const std::shared_ptr<Transaction>&)>;

/// Why the adapter itself responds to a request, before any handler sees it: the status and a
/// message for the person who wrote the client, which is static.
struct RequestError {
  int status = 400;
  std::string_view message;
};

/// Makes a response the adapter gives by itself (400, 408, 414, 417, 431, 500, 501, 503, 505): the
/// error shape belongs to the layer above. Called on any worker; must not throw.
using ErrorRenderer =
    std::function<std::pair<ResponseHead, std::string>(int status, std::string_view message)>;

/// The least pace that a client must keep: a transfer may be slower than `bytes_per_second` only in
/// its beginning, for `grace`.
struct DataRate {
  std::uint64_t bytes_per_second = 0;  ///< 0: any pace will do
  std::chrono::milliseconds grace{5'000};

  /// The milliseconds after which so many bytes must have been transferred, and more to come.
  std::int64_t longest(std::uint64_t bytes) const {
    constexpr std::uint64_t kForever = std::numeric_limits<std::int32_t>::max();
    if (bytes_per_second == 0 || bytes / bytes_per_second >= kForever / 1'000) return kForever;
    return grace.count() + static_cast<std::int64_t>(bytes * 1'000 / bytes_per_second);
  }
};

struct AdapterOptions {
  std::string host = "0.0.0.0";
  std::uint16_t port = 0;   ///< 0: any free port, see `Adapter::port`
  std::string unix_socket;  ///< path to listen on instead of host and port
  unsigned unix_socket_mode = 0660;
  int backlog = 4'096;
  bool reuse_port = false;
  /// Listening sockets to take over instead of opening one. The first is this adapter's; the others
  /// belong to processes beside this one, whose clients it lets in when they have to wait.
  std::vector<int> inherited_listeners = {};
  std::size_t min_workers = 0;  ///< kept free of waiting handlers; 0: one per processor, at least 2
  std::size_t max_workers = 256;  ///< handlers that wait grow the pool up to this
  std::size_t max_connections = 10'000;
  std::size_t max_connections_per_address = 0;  ///< 0: no limit
  std::size_t max_requests_per_connection = 0;  ///< 0: no limit
  std::size_t max_header_size = 16 * 1024;      ///< bytes of the whole head: 431 past it
  std::size_t max_header_count = 100;           ///< fields: 431 past it
  /// Bytes, over all connections, of bodies that are received or handled and of responses that wait
  /// for their clients. Past it, bodies get a 503 and responses are cut off; while more than three
  /// quarters are in use, those of the slowest connections do.
  std::size_t max_buffered_bytes = std::size_t{128} * 1024 * 1024;
  std::chrono::milliseconds keep_alive_timeout{5'000};
  std::chrono::milliseconds headers_timeout{60'000};
  std::chrono::milliseconds request_timeout{300'000};  ///< for receiving the body
  std::chrono::milliseconds send_timeout{30'000};      ///< for a client that takes no byte
  DataRate min_data_rate;  ///< of bodies that are received, and responses that are sent
  std::chrono::milliseconds worker_idle_timeout{10'000};  ///< after which the pool shrinks
  /// How often memory that is free again is given back to the system, while no request is handled;
  /// 0: never.
  std::chrono::milliseconds trim_interval{10'000};
  /// The largest body that is received before its request is handled, so that a slow client takes
  /// no thread: the limit that the handler will give to `read_body`. With 0 the handler runs
  /// at once. Called on any worker; must not throw. Nothing is waited for when it is empty.
  std::function<std::uint64_t(const RequestHead&)> body_limit = {};
};

class Adapter {
 public:
  virtual ~Adapter() = default;
  /// Binds and starts accepting; returns once the port is open. Throws std::system_error, also when
  /// the system has no thread for it.
  virtual void start(AdapterOptions options, TransactionHandler handler, ErrorRenderer error) = 0;
  /// The port that is open; 0 before `start`.
  virtual std::uint16_t port() const = 0;
  /// Stops accepting, closes idle connections, waits for running requests up to `grace`, then
  /// closes what is left. True when everything finished in time. Idempotent. Never waits longer
  /// than `grace`; the destructor waits until every handler has returned, as they use what is
  /// around.
  virtual bool stop(std::chrono::milliseconds grace) = 0;
};

/// The default engine: connections, threads and framing of ours on epoll. Only where the build has
/// it: FAIRWAY_EPOLL.
std::unique_ptr<Adapter> make_epoll_adapter();

/// The portable engine: cpp-httplib's server, with a thread for each connection: up to
/// `max_workers` connections are open, and further ones wait to be accepted. It has no use for
/// `min_workers`, `worker_idle_timeout`, `max_connections`, `max_connections_per_address`,
/// `max_buffered_bytes` and `trim_interval`, which the configuration rejects where they are set for
/// this engine. It takes no listening sockets over: `start` throws std::logic_error. A response by
/// another thread than the handler's ends the connection.
std::unique_ptr<Adapter> make_httplib_adapter();

}  // namespace fw::http
