// The parent of a cluster: opens the listening sockets, starts the workers, and keeps them running.
#pragma once

#include <fairway/config.hpp>
#include <fairway/logger.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/restart_policy.hpp"
#include "cluster/supervisor_signals.hpp"
#include "cluster/worker_process.hpp"
#include "http/listener.hpp"

namespace fw::cluster {

/// Each worker has a listening socket of its own on the common port (SO_REUSEPORT; a unix socket
/// has one for all), so that the kernel deals clients out evenly. The sockets are the supervisor's:
/// those who wait for a worker that is started again are still there when it comes back, or are let
/// in by another one.
///
/// SIGTERM and SIGINT stop all workers, the second one at once; SIGHUP replaces one after the
/// other; SIGUSR1 logs a line for each.
class Supervisor {
 public:
  /// Opens the sockets where `options` say. Throws std::system_error.
  Supervisor(const Config& config, http::AdapterOptions options, const Logger& logger);

  /// Returns the exit status once every worker has ended.
  int run();
  /// Thread-safe, also before `run`.
  void request_stop() { signals_.request_stop(); }
  std::uint16_t port() const { return port_; }

 private:
  using Clock = std::chrono::steady_clock;

  /// The place of one worker.
  struct Place {
    explicit Place(const ClusterConfig& config) : policy(config) {}

    int number = 0;
    std::optional<WorkerProcess> current = std::nullopt;
    std::optional<WorkerProcess> successor = std::nullopt;  ///< is to take over from `current`
    std::optional<Clock::time_point> starts_at = std::nullopt;
    int restarts = 0;
    RestartPolicy policy;
  };

  WorkerProcess start_worker(const Place& place) const;
  bool is_over() const;
  /// What a worker may take to end before it is killed.
  std::chrono::milliseconds stop_time() const;
  void wait_for_events() const;
  Clock::duration time_to_next() const;

  void obey_signals();
  void look_after(Place& place);
  void look_after(Place& place, std::optional<WorkerProcess>& process);
  void start_again(Place& place);
  void take_over(Place& place);
  void note_all_ready();
  void note_end(Place& place, const WorkerProcess& process, const std::string& end);
  void note_failed_start(Place& place, const WorkerProcess& process, const std::string& end);
  void schedule_restart(Place& place);

  void go_on_with_reload();
  void log_status() const;
  void begin_stop();
  void give_up(const std::vector<std::string>& errors);
  void signal_all(int number);

  const Config& config_;
  const Logger& logger_;
  const Program program_ = Program::current();
  SupervisorSignals signals_;
  std::vector<http::Listener> listeners_;
  std::uint16_t port_ = 0;
  std::vector<Place> places_;

  bool is_up_ = false;  ///< all workers have been ready
  bool is_stopping_ = false;
  int stop_signals_ = 0;
  Clock::time_point kill_at_ = Clock::time_point::max();
  std::size_t reload_place_ = 0;  ///< which one is being replaced
  bool is_reloading_ = false;
  bool reload_has_begun_here_ = false;  ///< its successor has been started
  bool reload_is_wanted_ = false;
  int status_ = 0;
};

}  // namespace fw::cluster
