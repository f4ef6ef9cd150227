// Serves an application: opens its port, waits for a stop, drains and closes; or supervises the
// processes of a cluster.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/admin_listener.hpp"
#include "app/app_core.hpp"
#include "app/https_redirect.hpp"
#include "app/process_signals.hpp"
#include "base/deadline_timer.hpp"
#include "cluster/supervisor.hpp"
#include "cluster/worker_role.hpp"
#include "http/adapter.hpp"

namespace fw::detail {

/// fw::App documents `listen`, `start` and `stop`.
class Server {
 public:
  explicit Server(AppCore& core);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int listen(std::optional<std::uint16_t> port);
  void start();
  void stop();
  std::string address() const;
  std::uint16_t port() const;

 private:
  void warn_of_missing_services() const;
  /// Null without `server.tls`. Throws StartupError if a certificate cannot be used.
  std::shared_ptr<http::SecureServer> open_tls() const;
  void open_port();
  int serve(const std::optional<cluster::WorkerRole>& role);
  int supervise();
  /// Stops the server and runs the close callbacks; waits if another thread is already doing so.
  /// Returns false if handlers still run some time after shutdown.timeout and `waits_for_handlers`
  /// is false. Then nothing is closed, because the handlers use the application, and the process
  /// must exit.
  bool shut_down(bool waits_for_handlers = true);
  /// Returns true to the caller that must stop the application. Returns false to others after it is
  /// stopped, or at once if a close callback calls it.
  bool begin_stop();
  /// Returns whether all handlers have returned, also in renewals of pages.
  bool stop_adapter(bool waits_for_handlers);
  /// Likewise for the checks of `app.health()`.
  bool stop_admin(bool waits_for_checks, std::chrono::steady_clock::time_point until);
  /// The caller holds the lock.
  void open_admin();
  void end_listening();
  std::optional<base::DeadlineTimer::Ticket> limit_callbacks(
      std::chrono::steady_clock::time_point when);

  enum class State {
    not_started,
    running,   ///< the port is open
    stopping,  ///< handlers or close callbacks may be running
    stopped,   ///< the final state
  };

  AppCore& core_;
  Environment& env_;
  std::vector<int> inherited_listeners_;       ///< of a worker of a cluster
  int ticket_secret_ = -1;                     ///< of a worker of a cluster, for TLS
  const cluster::WorkerRole* role_ = nullptr;  ///< null unless it is such a worker

  mutable std::mutex mutex_;  // guards the following members
  std::condition_variable changed_;
  State state_ = State::not_started;
  std::thread::id stopping_thread_;
  std::unique_ptr<http::Adapter> adapter_;
  const http::Adapter* measured_ = nullptr;  ///< `adapter_`, also while it is being stopped
  std::optional<http::AdapterFigures> last_figures_;  ///< when it has been stopped
  std::unique_ptr<AdminListener> admin_;  ///< null without `admin`; open until requests have ended
  std::optional<HttpsRedirect> redirect_;
  std::optional<ReloadSignal> reload_signal_;
  std::unique_ptr<StopSignal> stop_signal_;          ///< while `listen` runs
  std::unique_ptr<cluster::Supervisor> supervisor_;  ///< while `listen` runs a cluster
};

}  // namespace fw::detail
