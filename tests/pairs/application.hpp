// An application that is generated from features, in process or on a port.
#pragma once

#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "feature.hpp"
#include "message.hpp"
#include "support/table_builder.hpp"
#include "watched_store.hpp"

namespace pairs {

/// Something that handlers wait for until the test opens it.
class Gate {
 public:
  void open() { set(true); }
  void close() { set(false); }
  void wait() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return is_open_; });
  }

 private:
  void set(bool is_open) {
    const std::lock_guard lock(mutex_);
    is_open_ = is_open;
    opened_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

/// What handlers count and wait for.
struct HandlerState {
  std::atomic<int> version = 1;     ///< of the data; every response contains it
  std::atomic<int> runs = 0;        ///< of handlers of kinds
  std::atomic<int> gated_runs = 0;  ///< of handlers that wait at the gate
  std::atomic<int> gated_status = 200;
  std::atomic<int> entered = 0;           ///< requests that reached the middleware of a gated route
  std::atomic<int> left = 0;              ///< those that returned from it
  std::atomic<bool> sends_parts = false;  ///< whether the request has Range or not
  Gate gate;
};

/// Lines of a log.
class LineLog : public fw::LogSink {
 public:
  struct Line {
    std::string request_id;
    std::string message;
    std::string fields;  ///< JSON
    int status = 0;      ///< of the response, for the line of a request; else 0
  };
  void write(const fw::LogRecord& record) override;
  std::vector<Line> take();

 private:
  std::mutex mutex_;
  std::vector<Line> lines_;
};

/// How requests reach an application.
enum class Way {
  in_process,
  http1,  ///< over a port of 127.0.0.1
  http2,  ///< the same
};

/// The features of an application, and where it keeps its state.
struct Plan {
  std::vector<const Feature*> features = {};
  std::shared_ptr<WatchedStore> store = {};  ///< null: a memory store
  Way way = Way::in_process;
  std::function<void(Blueprint&)> adjust = {};

  std::string name() const;
};

class Application {
 public:
  /// Throws fw::StartupError.
  explicit Application(const Plan& plan);
  ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  const Blueprint& blueprint() const { return blueprint_; }
  HandlerState& state() { return state_; }
  WatchedStore& store() { return *store_; }
  LineLog& log() { return *log_; }
  fw::App& app();

  /// Sends a request and keeps the cookies of the response for its user.
  Exchange send(Message message);
  /// A request of this client, with all fields that its members say.
  Message message(const Client& client, std::string method, std::string target);
  /// The same for a route of this kind.
  Message message(const Client& client, Kind kind, std::string_view query = {});
  /// Signs the users in, if there are sessions, and fetches their CSRF tokens.
  void sign_in();
  /// Changes the data and invalidates the tag of all routes. Returns the response.
  Exchange update() { return send(message({}, "PUT", "/update")); }
  /// Ids of sessions and tokens that belong to one user.
  const std::vector<std::pair<int, std::string>>& secrets() const { return secrets_; }

 private:
  void register_routes(fw::Router& router);
  void register_gated_routes(fw::Router& router);
  void register_kind(fw::Router& router, Kind kind);
  fw::Json look(fw::Request& req, fw::Response& res, Kind kind);
  void respond(fw::Request& req, fw::Response& res, Kind kind);
  fw::RouteOptions options_of(Kind kind) const;
  Reply send_in_process(const Message& message);
  Reply send_over_http1(const Message& message);
  Reply send_over_http2(const Message& message);
  void keep_cookies(const Exchange& exchange);

  Blueprint blueprint_;
  const Way way_;
  HandlerState state_;
  std::shared_ptr<WatchedStore> store_;
  std::shared_ptr<LineLog> log_;
  fw::support::TableBuilder table_;
  std::unique_ptr<fw::testing::TestApp> in_process_;
  std::unique_ptr<fw::App> networked_;
  CookieJars jars_;
  std::map<int, std::string> csrf_tokens_;
  std::vector<std::pair<int, std::string>> secrets_;
  int last_id_ = 0;
};

}  // namespace pairs
