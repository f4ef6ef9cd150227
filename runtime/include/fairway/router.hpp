// The interface on which a route file's factory registers its routes (docs/routing.md).
#pragma once

#include <fairway/config.hpp>
#include <fairway/errors.hpp>
#include <fairway/fetch.hpp>
#include <fairway/handler.hpp>
#include <fairway/logger.hpp>
#include <fairway/request.hpp>
#include <fairway/response.hpp>
#include <fairway/response_cache.hpp>
#include <fairway/route_options.hpp>
#include <fairway/services.hpp>
#include <fairway/sockets.hpp>
#include <fairway/text.hpp>
#include <fairway/topics.hpp>

#include <string>
#include <vector>

namespace fw {

class App;

namespace detail {
struct Access;
}

/// One registration of a route.
struct RouteRecord {
  std::string method;    ///< upper case; "SOCKET" for a socket
  std::string path;      ///< subpath as registered
  RouteOptions options;  ///< as registered
  RouteHandler handler;  ///< as registered
};

/// Lives as long as the application: handlers may capture it by reference. Routes can only be
/// registered while the factory runs; later calls throw std::logic_error.
class Router : public Raises {
 public:
  /// For the application, which calls the factories.
  explicit Router(App& app);
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  /// @{
  /// Registers a route without options. `path` is below the prefix of the file: "/", "/:id",
  /// "/files/*".
  void get(Text path, RouteHandler handler) { add("GET", path, {}, std::move(handler)); }
  void post(Text path, RouteHandler handler) { add("POST", path, {}, std::move(handler)); }
  void put(Text path, RouteHandler handler) { add("PUT", path, {}, std::move(handler)); }
  void patch(Text path, RouteHandler handler) { add("PATCH", path, {}, std::move(handler)); }
  void del(Text path, RouteHandler handler) { add("DELETE", path, {}, std::move(handler)); }
  void head(Text path, RouteHandler handler) { add("HEAD", path, {}, std::move(handler)); }
  void options(Text path, RouteHandler handler) { add("OPTIONS", path, {}, std::move(handler)); }
  /// @}

  /// @{
  /// Registers a route with options.
  void get(Text path, RouteOptions options, RouteHandler handler) {
    add("GET", path, std::move(options), std::move(handler));
  }
  void post(Text path, RouteOptions options, RouteHandler handler) {
    add("POST", path, std::move(options), std::move(handler));
  }
  void put(Text path, RouteOptions options, RouteHandler handler) {
    add("PUT", path, std::move(options), std::move(handler));
  }
  void patch(Text path, RouteOptions options, RouteHandler handler) {
    add("PATCH", path, std::move(options), std::move(handler));
  }
  void del(Text path, RouteOptions options, RouteHandler handler) {
    add("DELETE", path, std::move(options), std::move(handler));
  }
  void head(Text path, RouteOptions options, RouteHandler handler) {
    add("HEAD", path, std::move(options), std::move(handler));
  }
  void options(Text path, RouteOptions options, RouteHandler handler) {
    add("OPTIONS", path, std::move(options), std::move(handler));
  }
  /// @}

  /// Registers a socket (WebSocket): the handler is called when a client has passed the guards and
  /// middlewares of the route, before the socket is opened. A GET route must not have the same
  /// path. Engines without sockets refuse to start.
  void socket(Text path, RouteOptions options, SocketHandler handler);

  /// Services that `main` and plugins have registered.
  Services& services() const;
  /// The configuration; does not change.
  const Config& config() const;
  /// The application's logger.
  const Logger& logger() const;
  /// The cache of responses.
  ResponseCache& cache() const;
  /// Topics of events; see `App::topics`.
  Topics& topics() const;
  /// The application.
  App& app() const { return app_; }
  const Fetch fetch;  ///< the application's outbound client

 private:
  friend struct detail::Access;

  void add(std::string_view method, const Text& path, RouteOptions options, RouteHandler handler);

  App& app_;
  std::vector<RouteRecord> records_;
  bool open_ = true;
};

}  // namespace fw
