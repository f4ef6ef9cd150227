// What fw::App is made of: set-up, start and end of an application.
#pragma once

#include <fairway/app.hpp>

#include <any>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/stop_signal.hpp"
#include "cluster/supervisor.hpp"
#include "cluster/worker_role.hpp"
#include "docs/documentation.hpp"
#include "exchange/environment.hpp"
#include "http/adapter.hpp"
#include "pipeline/pipeline.hpp"

namespace fw::detail {

class AppCore {
  std::vector<std::string> errors_;  // first: construction fills it

 public:
  AppCore(App& app, Config config);
  ~AppCore();
  AppCore(const AppCore&) = delete;
  AppCore& operator=(const AppCore&) = delete;

  Environment env;
  Services services;
  std::map<std::string, std::any, std::less<>> extensions;

  // Set-up, on one thread.
  void mount(const AppTable& table);
  void use(Middleware middleware);
  void on_ready(std::function<void(App&)> callback);
  void on_close(std::function<void(App&)> callback);
  /// Throws std::logic_error naming the action when the application has been prepared.
  void require_set_up(std::string_view action) const;

  /// Composes the chains. Throws StartupError with every error found since construction.
  void prepare();
  /// Runs the ready callbacks. Throws StartupError when one of them fails.
  void announce_ready();
  /// Runs the close callbacks, once, and writes the log out.
  void close();

  void handle(const std::shared_ptr<http::Transaction>& transaction) const {
    pipeline_.handle(transaction);
  }

  int listen(std::optional<std::uint16_t> port);
  void start();
  void stop();
  std::string address() const;
  std::uint16_t port() const;

 private:
  struct MountedMiddleware {
    const MiddlewareDefinition* definition;
    std::string file;
  };

  void set_up_plugins(const AppTable& table);
  bool set_up_plugin(const Plugin& plugin, std::string_view file);
  void collect_middlewares(const AppTable& table);
  void collect_routes(const RouteFileRow& file);
  void add_own_route(std::string path, std::string origin, Handler handler);
  void add_docs_routes();
  void prepare_documentation();
  /// Why the whitelist of middlewares may be empty, for messages; or nothing.
  std::string reason_for_empty(const std::vector<MiddlewareConfig>& whitelist) const;
  Middleware make_middleware(const MiddlewareRef& reference) const;
  void open_port();
  int serve(const std::optional<cluster::WorkerRole>& role);
  int supervise();
  /// Stops the server and runs the close callbacks; waits for whoever does so already. False if
  /// handlers still run, a while after shutdown.timeout, and `waits_for_handlers` is not set: they
  /// use what the application owns, so that nothing is closed and the process has to end.
  bool shut_down(bool waits_for_handlers = true);
  /// True for the one that is to stop the application; for others once it is stopped, or at once
  /// when the stop itself asks for it.
  bool begin_stop();
  bool stop_server(bool waits_for_handlers);
  void end_listening();

  App& app_;
  std::vector<Middleware> global_middlewares_;
  std::map<std::string, MountedMiddleware, std::less<>> middlewares_;
  std::deque<Router> routers_;      // handlers refer to them
  nlohmann::ordered_json openapi_;  // of the tables; moved to documentation_
  std::unique_ptr<docs::Documentation> documentation_;
  std::string docs_policy_;
  std::string docs_title_;
  std::vector<std::function<void(App&)>> ready_callbacks_;
  std::vector<std::function<void(App&)>> close_callbacks_;
  std::vector<int> inherited_listeners_;  // of a worker of a cluster
  std::atomic<bool> prepared_ = false;
  std::atomic<bool> closed_ = false;
  Pipeline pipeline_;

  enum class State {
    not_started,
    running,   ///< the port is open
    stopping,  ///< handlers may still run, or close callbacks do
    stopped,   ///< for good
  };

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  State state_ = State::not_started;
  std::thread::id stopping_thread_;
  std::unique_ptr<http::Adapter> adapter_;
  std::unique_ptr<StopSignal> stop_signal_;          // while `listen` runs
  std::unique_ptr<cluster::Supervisor> supervisor_;  // while `listen` runs a cluster
};

}  // namespace fw::detail
