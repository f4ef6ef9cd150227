// Testing kit: an application in process, without a socket. CMake target: fairway::testing.
//
//   fw::testing::TestApp app(fairway_app(), config);
//   auto r = app.request("POST", "/users").header("x-tenant", "a").json({{"name", "Ada"}}).send();
//   CHECK(r == 201);   // when it fails, doctest, GoogleTest and Catch2 show the whole response
#pragma once

#include <fairway/app.hpp>
#include <fairway/client_certificate.hpp>
#include <fairway/json_type.hpp>
#include <fairway/readable.hpp>
#include <fairway/sockets.hpp>

#include <chrono>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Tests of applications: see `TestApp`.
namespace fw::testing {

/// The complete response.
struct TestResponse {
  int status = 0;                                            ///< HTTP status
  std::vector<std::pair<std::string, std::string>> headers;  ///< names as sent
  std::string body;          ///< bytes, complete and decoded from chunks
  std::string request = {};  ///< "POST /users", for messages

  /// The first header of that name, in any case.
  std::optional<std::string_view> header(std::string_view name) const;
  /// The body as JSON. Throws Json::parse_error.
  Json json() const { return Json::parse(body); }

  /// Compares the status.
  friend bool operator==(const TestResponse& response, int expected) {
    return response.status == expected;
  }
  /// Writes status, request, headers, and the body, JSON with a line for each member. Test
  /// frameworks use it for what `==` compares.
  friend std::ostream& operator<<(std::ostream& out, const TestResponse& response);
};

/// An event of a stream, or a line.
struct TestEvent {
  std::string name;     ///< "message" if it has none; empty for a line
  std::string data;     ///< JSON
  std::string id = {};  ///< of this event, or of the last one that had an id
  std::optional<std::chrono::milliseconds> retry = {};  ///< the last one that was sent

  /// The data. Throws Json::parse_error.
  Json json() const { return Json::parse(data); }
};

class StreamReader;

/// The client of a stream of events or lines; see `TestApp::events`. Used by one thread, while the
/// application sends from any. Must not outlive the application. Without heartbeats.
class TestEvents {
 public:
  TestEvents(TestEvents&&) noexcept;             ///< the other one has no stream then
  TestEvents& operator=(TestEvents&&) noexcept;  ///< disconnects the stream that it had
  ~TestEvents();                                 ///< disconnects

  /// Status and headers; for a response that is no stream, the body, too.
  TestResponse response;
  /// Waits for the next event. Nothing if the stream has ended. Throws std::runtime_error if there
  /// is none in time.
  std::optional<TestEvent> next(std::chrono::milliseconds timeout = std::chrono::seconds(10));
  /// The client closes the connection.
  void disconnect();

 private:
  friend class TestRequest;
  TestEvents(TestResponse head, std::unique_ptr<StreamReader> reader);

  std::unique_ptr<StreamReader> reader_;
};

/// A message of a socket.
struct TestMessage {
  std::string content;  ///< a text, or bytes
  bool is_text = true;  ///< how it was sent

  /// The content of a message that the route declares: `{"type": "said", …}`. Throws
  /// Json::parse_error.
  Json json() const { return Json::parse(content); }
};

class SocketReader;

/// The client of a socket; see `TestApp::socket`. Used by one thread, while the application sends
/// from any. Must not outlive the application. Without pings and compression.
class TestSocket {
 public:
  TestSocket(TestSocket&&) noexcept;             ///< the other one has no socket then
  TestSocket& operator=(TestSocket&&) noexcept;  ///< disconnects the socket that it had
  ~TestSocket();                                 ///< disconnects

  /// Status and headers: 101 if the socket was opened. Otherwise the body, too.
  TestResponse response;
  /// Sends a declared message. The application's function for it runs on this thread, before `send`
  /// returns. Ignored by a socket that is not open.
  void send(std::string_view message, const Json& data = fw::detail::json_object());
  /// Sends a text as it is.
  void send_text(std::string_view text);
  /// Sends bytes as they are.
  void send_binary(std::string_view bytes);
  /// Waits for the next message. Nothing if the socket has been closed: see `closed`. Throws
  /// std::runtime_error if there is none in time.
  std::optional<TestMessage> next(std::chrono::milliseconds timeout = std::chrono::seconds(10));
  /// The client closes the socket. What it has not read is dropped.
  void close(int code = 1000, std::string_view reason = {});
  /// The client loses its connection.
  void disconnect();
  /// How the socket has been closed, once `next` has returned nothing, or the client has closed it.
  const std::optional<CloseReason>& closed() const;

 private:
  friend class TestRequest;
  TestSocket(TestResponse head, std::unique_ptr<SocketReader> reader);

  std::unique_ptr<SocketReader> reader_;
};

/// A call that a stub handles.
struct FetchCall {
  std::string method;                                        ///< upper case
  std::string url;                                           ///< absolute, with the query
  std::vector<std::pair<std::string, std::string>> headers;  ///< as sent to the server
  std::string body;                                          ///< bytes

  /// The first header of that name, in any case.
  std::optional<std::string_view> header(std::string_view name) const;
  /// The body as JSON. Throws Json::parse_error.
  Json json() const { return Json::parse(body); }
};

/// The response of a stub: `{404}`, `{200, {{"id", 1}}}`.
struct FetchReply {
  int status = 200;     ///< HTTP status
  Json json = nullptr;  ///< the body, unless `body` is set; null: none
  /// In addition to the Content-Type of `json`.
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};  ///< bytes; its Content-Type must be in `headers`
};

class StubTransport;
class MemoryTransaction;
class CapturedLog;
class TestApp;
class TestClient;

/// A request under construction; sent at most once. What a server rejects before any handler sees
/// it (a malformed target or field, too many of them) gets the same error response here.
class TestRequest {
 public:
  /// Adds a header and keeps others of the same name.
  TestRequest& header(std::string name, std::string value);
  /// Adds a cookie; the value must be encoded as in a Cookie field.
  TestRequest& cookie(std::string_view name, std::string_view value);
  /// JSON body; sets Content-Type unless it was given.
  TestRequest& json(const Json& body);
  /// Adds a file of a multipart form.
  TestRequest& file(std::string_view field, std::string_view filename, std::string_view content,
                    std::string_view media_type = "application/octet-stream");
  /// Adds a text field of a multipart form.
  TestRequest& field(std::string_view name, std::string_view value);
  /// A body that is sent unchanged.
  TestRequest& body(std::string bytes);
  /// A body of unknown length, which is sent in chunks as the application reads it: from a string,
  /// a file (`fw::file`), a stream, or a generator.
  TestRequest& stream(Readable body);
  /// The address of the client, "127.0.0.1" by default.
  TestRequest& remote_address(std::string address);
  /// The certificate of the client; by default, it has shown none.
  TestRequest& client_certificate(ClientCertificate certificate);
  /// Runs the whole pipeline and returns the response. Throws std::invalid_argument if the method,
  /// the target or a header contains a line break, and std::runtime_error if a streamed response is
  /// cut off. Of a stream of events that is still open, the response has what was sent so far, and
  /// the client disconnects.
  TestResponse send();
  /// The same for a stream of events or lines, which stays open.
  TestEvents events();
  /// The same for a socket, which stays open. Adds the headers of the handshake, and no `Origin`.
  TestSocket socket();

 private:
  friend class TestApp;
  friend class TestClient;
  TestRequest(TestApp& app, std::string method, std::string target);
  TestRequest& form_part(std::string_view head, std::string_view content);
  std::string head_bytes() const;
  std::function<std::string()> body_source();
  std::shared_ptr<MemoryTransaction> exchange(TestResponse& response);
  std::shared_ptr<MemoryTransaction> handle(TestResponse& response);

  TestApp& app_;
  TestClient* client_ = nullptr;  ///< which keeps the cookies of the response
  std::string method_;
  std::string target_;
  std::vector<std::pair<std::string, std::string>> headers_;
  std::string body_;
  std::optional<Readable> stream_;
  std::string remote_address_ = "127.0.0.1";
  std::shared_ptr<const ClientCertificate> client_certificate_;
};

/// Requests with the cookies of earlier responses, as of one browser. Used by one thread. Paths,
/// domains and `Secure` of cookies are ignored; a cookie with an empty value, `Max-Age=0` or a
/// past `Expires` is removed.
class TestClient {
 public:
  /// A client of the application, which must outlive it.
  explicit TestClient(TestApp& app) : app_(app) {}

  /// Starts a request with the cookies. `target`: path and query, as sent.
  TestRequest request(std::string method, std::string target);
  /// The cookies, by name.
  const std::map<std::string, std::string>& cookies() const { return cookies_; }

 private:
  friend class TestRequest;
  void keep_cookies(const TestResponse& response);

  TestApp& app_;
  std::map<std::string, std::string> cookies_;
};

/// A mounted application that is ready for requests. Threads may share it.
class TestApp {
 public:
  /// Throws StartupError. `set_up` runs before the table is mounted, for services and hooks.
  explicit TestApp(const AppTable& table, Config config = test_config(),
                   const std::function<void(App&)>& set_up = {});
  ~TestApp();

  /// Starts a request. `target`: path and query, as sent.
  TestRequest request(std::string method, std::string target);
  /// Opens a stream of events or lines: `app.events("/live").next()->json()`.
  TestEvents events(std::string target) { return request("GET", std::move(target)).events(); }
  /// Opens a socket: `app.socket("/rooms/7").send("say", {{"text", "hi"}})`.
  TestSocket socket(std::string target) { return request("GET", std::move(target)).socket(); }
  /// A client without cookies.
  TestClient client() { return TestClient(*this); }
  /// The application, for services, hooks and stores.
  App& app() { return app_; }

  /// Moves the clock of the memory stores and of the response cache: sessions and windows of rate
  /// limits expire, cached responses and revalidated pages become stale or expire. Throws
  /// std::invalid_argument for a negative duration.
  void advance(std::chrono::milliseconds duration);

  /// Responds to outbound calls of `app.fetch` and of the proxy, without a network. `call` is a
  /// method and a URL: "GET https://api.example.com/users". A `*` at the end of the URL matches any
  /// rest. A later stub for the same call replaces an earlier one; if several match, the longest
  /// one is used. The handler may run on any thread; if it throws, the call fails with
  /// NetworkError. As soon as there is a stub, calls without one fail with NetworkError. Throws
  /// std::invalid_argument for another form of `call`.
  void fetch_stub(const std::string& call, std::function<FetchReply(const FetchCall&)> handler);

  /// The last 10,000 lines of the log, from level info on: `{"level": 30, "time": …, "msg": …}` and
  /// fields. Only with the logger's level "silent", as in `test_config`; other lines go to the
  /// configured log.
  std::vector<Json> log_lines() const;

  /// Defaults with environment "test", a silent log, and limits of time that suit a busy machine
  /// and a debugger: connections stay open for a minute without a request, and clients may be slow.
  static Config test_config();

 private:
  struct Clock;

  std::shared_ptr<Clock> clock_;
  std::shared_ptr<CapturedLog> log_;
  std::shared_ptr<StubTransport> stubs_;
  App app_;
};

}  // namespace fw::testing
