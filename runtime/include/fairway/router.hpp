// The interface on which a route file's factory registers its routes (docs/routing.md).
#pragma once

#include <fairway/fetch_client.hpp>
#include <fairway/handler.hpp>
#include <fairway/inline_route_options.hpp>
#include <fairway/logger.hpp>
#include <fairway/raise.hpp>
#include <fairway/request.hpp>
#include <fairway/response.hpp>
#include <fairway/response_cache.hpp>
#include <fairway/services.hpp>
#include <fairway/sockets.hpp>
#include <fairway/text.hpp>

#include <concepts>
#include <string_view>
#include <utility>
#include <vector>

namespace fw {

class App;
class Topics;
struct Config;
struct RouteOptions;
struct RouteRecord;

namespace detail {
struct Access;
}

/// Lives as long as the application: handlers may capture it by reference. Routes can only be
/// registered while the factory runs; later calls throw std::logic_error.
class Router : public Raises {
 public:
  /// For the application, which calls the factories.
  explicit Router(App& app);
  ~Router();
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  /// @{
  /// Registers a route without options. `path` is below the prefix of the file: "/", "/:id",
  /// "/files/*".
  void get(Text path, RouteHandler handler);
  void post(Text path, RouteHandler handler);
  void put(Text path, RouteHandler handler);
  void patch(Text path, RouteHandler handler);
  void del(Text path, RouteHandler handler);
  void head(Text path, RouteHandler handler);
  void options(Text path, RouteHandler handler);
  /// @}

  /// @{
  /// Registers a route with options.
  void get(Text path, RouteOptions options, RouteHandler handler);
  template <detail::WorseMatch = void>
  void get(Text path, detail::InlineRouteOptions options, RouteHandler handler) {
    add_inline("GET", path, options, std::move(handler));
  }
  void post(Text path, RouteOptions options, RouteHandler handler);
  template <detail::WorseMatch = void>
  void post(Text path, detail::InlineRouteOptions options, RouteHandler handler) {
    add_inline("POST", path, options, std::move(handler));
  }
  void put(Text path, RouteOptions options, RouteHandler handler);
  template <detail::WorseMatch = void>
  void put(Text path, detail::InlineRouteOptions options, RouteHandler handler) {
    add_inline("PUT", path, options, std::move(handler));
  }
  void patch(Text path, RouteOptions options, RouteHandler handler);
  template <detail::WorseMatch = void>
  void patch(Text path, detail::InlineRouteOptions options, RouteHandler handler) {
    add_inline("PATCH", path, options, std::move(handler));
  }
  void del(Text path, RouteOptions options, RouteHandler handler);
  template <detail::WorseMatch = void>
  void del(Text path, detail::InlineRouteOptions options, RouteHandler handler) {
    add_inline("DELETE", path, options, std::move(handler));
  }
  void head(Text path, RouteOptions options, RouteHandler handler);
  template <detail::WorseMatch = void>
  void head(Text path, detail::InlineRouteOptions options, RouteHandler handler) {
    add_inline("HEAD", path, options, std::move(handler));
  }
  void options(Text path, RouteOptions options, RouteHandler handler);
  template <detail::WorseMatch = void>
  void options(Text path, detail::InlineRouteOptions options, RouteHandler handler) {
    add_inline("OPTIONS", path, options, std::move(handler));
  }
  /// @}

  /// @{
  /// Registers a socket (WebSocket): the handler is called when a client has passed the guards and
  /// middlewares of the route, before the socket is opened. A GET route must not have the same
  /// path. Engines without sockets refuse to start.
  void socket(Text path, RouteOptions options, SocketHandler handler);
  template <detail::WorseMatch = void>
  void socket(Text path, detail::InlineRouteOptions options, SocketHandler handler) {
    add_socket_inline(path, options, std::move(handler));
  }
  /// @}

  /// Services that `main` and plugins have registered.
  Services& services() const;
  /// The configuration; does not change. Include <fairway/config.hpp>.
  const Config& config() const;
  /// The application's logger.
  const Logger& logger() const;
  /// The cache of responses.
  ResponseCache& cache() const;
  /// Topics of events; see `App::topics`. Include <fairway/topics.hpp>.
  Topics& topics() const;
  /// The application. Include <fairway/app.hpp>.
  App& app() const { return app_; }
  const Fetch fetch;  ///< the application's outbound client

 private:
  friend struct detail::Access;

  void add(std::string_view method, const Text& path, RouteOptions options, RouteHandler handler);
  void add_inline(std::string_view method, const Text& path,
                  const detail::InlineRouteOptions& options, RouteHandler handler);
  void add_socket_inline(const Text& path, const detail::InlineRouteOptions& options,
                         SocketHandler handler);

  App& app_;
  std::vector<RouteRecord> records_;
  bool open_ = true;
};

}  // namespace fw

#ifndef FAIRWAY_WITHOUT_JSON
#include <fairway/config.hpp>
#include <fairway/errors.hpp>
#include <fairway/fetch.hpp>
#include <fairway/route_options.hpp>
#include <fairway/route_record.hpp>
#include <fairway/topics.hpp>
#endif
