// An application: configuration, services, mounted routes, and the server.
#pragma once

#include <fairway/config.hpp>
#include <fairway/define_routes.hpp>
#include <fairway/errors.hpp>
#include <fairway/fetch.hpp>
#include <fairway/generated/route_table.hpp>
#include <fairway/hooks.hpp>
#include <fairway/logger.hpp>
#include <fairway/middleware.hpp>
#include <fairway/rate_limiter.hpp>
#include <fairway/response_cache.hpp>
#include <fairway/services.hpp>
#include <fairway/store.hpp>
#include <fairway/topics.hpp>
#include <fairway/validator.hpp>

#include <any>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace fw {

class Health;
class Metrics;

namespace detail {
class AppCore;
class Server;
struct Access;
template <class...>
inline constexpr bool kDependentFalse = false;
}  // namespace detail

/// Set it up (mount, use, services, hooks) on one thread before `listen`. Afterwards its functions
/// are thread-safe, unless they are documented otherwise.
class App : public Raises {
 public:
  /// Errors of the configuration are reported by `listen` or `start`.
  explicit App(Config config = {});
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// Mounts the generated table: runs plugins and route factories, and checks their registrations
  /// against the table. Errors are reported together with other startup errors: `listen` prints
  /// them and returns 1, `start` throws them.
  void mount(const AppTable& table);

  /// Serves requests until a signal (SIGINT, SIGTERM) or `stop`, then completes running requests.
  /// Returns the exit status: 0 after a stop, 1 if the start failed (the errors are on standard
  /// error). If handlers are still running after `shutdown.timeout`, their clients are
  /// disconnected, and they have another 0.3 s to end. If they do not, after a signal, the process
  /// exits with status 0 without running the close callbacks, because the handlers may still use
  /// what the callbacks close.
  int listen();
  /// The same on this port instead of the configured one.
  int listen(std::uint16_t port);
  /// Opens the port and returns; for tests and embedding. Throws StartupError with all errors, or
  /// std::system_error if the port cannot be opened.
  void start();
  /// Stops the application permanently: accepts no new requests, completes running ones, waits for
  /// the handlers and runs the close callbacks. Thread-safe. While `listen` is running, it only
  /// makes `listen` return, so handlers may call it. After `start`, it returns when everything is
  /// closed, and handlers must not call it. The destructor does the same, and waits for `listen`.
  void stop();
  /// The URL for clients on this machine, such as "http://127.0.0.1:3000"; empty while the port is
  /// not open.
  std::string address() const;
  /// The port that is open; 0 while none is.
  std::uint16_t port() const;

  /// Objects that plugins and routes share; may be used at any time.
  Services& services();
  /// The configuration; does not change.
  const Config& config() const;
  /// The application's logger.
  const Logger& logger() const;
  /// Handlers of lifecycle events.
  Hooks& hooks();
  /// The cache of the responses of routes with `cache`. Thread-safe.
  ResponseCache& cache();
  /// Checks of what the application needs to serve, for `/readyz` of the admin listener. Include
  /// <fairway/health.hpp>.
  Health& health();
  /// What the application measures itself, for `/metrics` of the admin listener. Include
  /// <fairway/metrics.hpp>.
  Metrics& metrics();
  /// Topics of events. They reach the clients of all processes if the store of the application is
  /// Redis, and of this process otherwise. Throws std::logic_error in a cluster without Redis.
  Topics& topics();

  /// Adds a global middleware. It runs for each request that has a route and has passed the body
  /// parser and the rate limit; the access log includes its time and its response. Call it before
  /// `listen`.
  void use(Middleware middleware);
  /// Serves the files below the directory `root` for GET and HEAD requests whose path begins with
  /// `prefix`, unless there is a route for them. Call it before `listen`, in `main` or in a plugin.
  /// Wrong arguments are startup errors.
  void serve_static(std::string prefix, std::string root, StaticOptions options = {});
  /// Attaches a value under a name. Throws std::logic_error when the name is taken, and after the
  /// start.
  template <class T>
  void extend(std::string name, T value) {
    set_extension(std::move(name), std::any(std::move(value)));
  }
  /// The attached value, which all requests share: a type that changes must be thread-safe. Throws
  /// std::out_of_range for an unknown name, and std::bad_any_cast for another type.
  template <class T>
  T& extension(std::string_view name) {
    return std::any_cast<T&>(get_extension(name));
  }

  /// Replaces the logger and its output. Throws std::logic_error after the start.
  void set_logger(Logger logger);
  /// Replaces the generator of request ids, which several threads call at a time. Throws
  /// std::logic_error after the start.
  void set_request_id_generator(std::function<std::string()> generator);
  /// Replaces the framework's validation; an empty function restores it. Call it before `listen`.
  void set_validator(Validator validator);
  /// Requests for which `skip` returns true are not checked for CSRF tokens, besides those that
  /// need none (docs/csrf.md). An exception has its usual response. Call it before `listen`.
  void skip_csrf(std::function<bool(Request&)> skip);
  /// Sets the store of a feature ("cache", "rate-limit" or "session") instead of the configured
  /// one. Call it before `listen`. Throws std::invalid_argument for an unknown feature.
  void set_store(std::string_view feature, std::shared_ptr<Store> store);
  /// Replaces the framework's rate limiter, which is used if `rateLimit` is enabled; null restores
  /// it. Call it before `listen`.
  void set_rate_limiter(std::shared_ptr<RateLimiter> limiter);
  /// Adds a callback that runs when the port is open, in the order of registration. An exception
  /// stops the start. Throws std::logic_error after the start.
  void on_ready(std::function<void(App&)> callback);
  /// Adds a callback that runs when no handler is running any more, the last one first. An
  /// exception is logged. Throws std::logic_error after the start.
  void on_close(std::function<void(App&)> callback);

  /// @{
  /// Routes must be registered on the fw::Router of a route file's factory; calling one of these
  /// functions is a compile error that explains this.
  template <class... Arguments>
  void get(Arguments&&...) {
    reject_registration<Arguments...>();
  }
  template <class... Arguments>
  void post(Arguments&&...) {
    reject_registration<Arguments...>();
  }
  template <class... Arguments>
  void put(Arguments&&...) {
    reject_registration<Arguments...>();
  }
  template <class... Arguments>
  void patch(Arguments&&...) {
    reject_registration<Arguments...>();
  }
  template <class... Arguments>
  void del(Arguments&&...) {
    reject_registration<Arguments...>();
  }
  template <class... Arguments>
  void head(Arguments&&...) {
    reject_registration<Arguments...>();
  }
  template <class... Arguments>
  void options(Arguments&&...) {
    reject_registration<Arguments...>();
  }
  /// @}

 private:
  friend struct detail::Access;
  template <class... Arguments>
  static void reject_registration() {
    static_assert(detail::kDependentFalse<Arguments...>,
                  "fw::App registers no routes: write a route file, `FW_EXPORT_DEFAULT = "
                  "fw::define_routes([](fw::Router& app) { app.get(…); });`, under src/routes");
  }
  void set_extension(std::string name, std::any value);
  std::any& get_extension(std::string_view name);

  std::unique_ptr<detail::AppCore> core_;
  std::unique_ptr<detail::Server> server_;

 public:
  const Fetch fetch;  ///< the outbound client
};

}  // namespace fw
