// An application: configuration, services, mounted routes, and the server.
#pragma once

#include <fairway/config.hpp>
#include <fairway/define_routes.hpp>
#include <fairway/errors.hpp>
#include <fairway/hooks.hpp>
#include <fairway/logger.hpp>
#include <fairway/middleware.hpp>
#include <fairway/response_cache.hpp>
#include <fairway/route_table.hpp>
#include <fairway/services.hpp>
#include <fairway/store.hpp>
#include <fairway/validator.hpp>

#include <any>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace fw {

namespace detail {
class AppCore;
class Server;
struct Access;
template <class...>
inline constexpr bool kDependentFalse = false;
}  // namespace detail

/// Set-up (mount, use, services, hooks) happens on one thread before `listen`; afterwards
/// everything that is not documented otherwise may be used from any thread.
class App : public Raises {
 public:
  explicit App(Config config = {});
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// Takes the generated table: runs plugins and factories, and holds what they registered against
  /// the table. Errors are kept and reported together with those of the start: `listen` prints them
  /// and returns 1, `start` throws them.
  void mount(const AppTable& table);

  /// Serves until a signal (SIGINT, SIGTERM) or `stop`, then drains. Returns the exit status: 0
  /// after a stop, 1 when the start failed (the errors are on standard error). When handlers still
  /// run after `shutdown.timeout`, their clients are cut off; after a signal the process then ends
  /// without them, status 0, and without the close callbacks, as the handlers use what these close.
  int listen();
  int listen(std::uint16_t port);
  /// Opens the port and returns: for tests and embedding. Throws what keeps it from starting:
  /// StartupError with every error, std::system_error for the port.
  void start();
  /// Ends the application, for good: refuses new work, drains, waits for the handlers, runs the
  /// close callbacks. Thread-safe, from any number of threads. While `listen` runs it only asks it
  /// to end, so that handlers may call it; after `start` every caller returns when everything is
  /// closed, and handlers must not call it. The destructor does the same, and waits for `listen`.
  void stop();
  /// Where clients on this machine reach it, "http://127.0.0.1:3000", while the port is open; else
  /// empty.
  std::string address() const;
  std::uint16_t port() const;

  Services& services();
  const Config& config() const;
  const Logger& logger() const;
  Hooks& hooks();
  /// The responses that routes with `cache` have stored. Thread-safe.
  ResponseCache& cache();

  /// Adds a global middleware, run for every matched request after the access log. Before `listen`.
  void use(Middleware middleware);
  /// Attaches a value under a name. Throws std::logic_error when the name is taken.
  template <class T>
  void extend(std::string name, T value) {
    set_extension(std::move(name), std::any(std::move(value)));
  }
  /// The attached value. Throws std::out_of_range or std::bad_any_cast.
  template <class T>
  T& extension(std::string_view name) {
    return std::any_cast<T&>(get_extension(name));
  }

  void set_logger(Logger logger);
  void set_request_id_generator(std::function<std::string()> generator);
  /// Takes the place of the framework's validation. Before `listen`; an empty one restores it.
  void set_validator(Validator validator);
  /// Keeps the state of a feature, "cache", "rate-limit" or "session", in this store instead of the
  /// one that is configured. Before `listen`. Throws std::invalid_argument for an unknown feature.
  void set_store(std::string_view feature, std::shared_ptr<Store> store);
  void on_ready(std::function<void(App&)> callback);
  void on_close(std::function<void(App&)> callback);

  // Routes are registered on the fw::Router of a route file's factory.
  template <class... Arguments>
  void get(Arguments&&...) {
    refuse_registration<Arguments...>();
  }
  template <class... Arguments>
  void post(Arguments&&...) {
    refuse_registration<Arguments...>();
  }
  template <class... Arguments>
  void put(Arguments&&...) {
    refuse_registration<Arguments...>();
  }
  template <class... Arguments>
  void patch(Arguments&&...) {
    refuse_registration<Arguments...>();
  }
  template <class... Arguments>
  void del(Arguments&&...) {
    refuse_registration<Arguments...>();
  }
  template <class... Arguments>
  void head(Arguments&&...) {
    refuse_registration<Arguments...>();
  }
  template <class... Arguments>
  void options(Arguments&&...) {
    refuse_registration<Arguments...>();
  }

 private:
  friend struct detail::Access;
  template <class... Arguments>
  static void refuse_registration() {
    static_assert(detail::kDependentFalse<Arguments...>,
                  "fw::App registers no routes: write a route file, `FW_EXPORT_DEFAULT = "
                  "fw::define_routes([](fw::Router& app) { app.get(…); });`, under src/routes");
  }
  void set_extension(std::string name, std::any value);
  std::any& get_extension(std::string_view name);

  std::unique_ptr<detail::AppCore> core_;
  std::unique_ptr<detail::Server> server_;
};

}  // namespace fw
