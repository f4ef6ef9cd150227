// The parent of a cluster: opens the listening sockets, starts the workers, and keeps them running.
#pragma once

#include <fairway/config.hpp>
#include <fairway/logger.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "cluster/cluster_view.hpp"
#include "cluster/rolling_reload.hpp"
#include "cluster/supervisor_signals.hpp"
#include "cluster/worker_slot.hpp"
#include "http/listener.hpp"

namespace fw::cluster {

/// Each worker has its own listening socket on the shared port (SO_REUSEPORT; a unix socket is
/// shared by all), so that the kernel distributes connections evenly. The supervisor owns the
/// sockets: connections that wait for a restarting worker are accepted by its replacement or by
/// another worker.
///
/// SIGTERM and SIGINT stop all workers; a second signal kills them. SIGHUP replaces the workers one
/// after the other. SIGUSR1 logs a line for each worker.
class Supervisor {
 public:
  /// Opens the sockets that `options` describe. Throws std::system_error.
  Supervisor(const Config& config, http::AdapterOptions options, const Logger& logger);

  /// Returns the exit status once every worker has ended.
  int run();
  /// Thread-safe, also before `run`.
  void request_stop() { signals_.request_stop(); }
  std::uint16_t port() const { return port_; }
  /// What its admin listener shows of the workers, if `admin` is set.
  ClusterView& view() { return view_; }

 private:
  using Clock = std::chrono::steady_clock;

  WorkerProcess start_worker(int number) const;
  bool is_over() const;
  void wait_for_events() const;
  void handle_signals();
  void supervise_workers();
  void handle_end(WorkerSlot& worker, const WorkerSlot::Ended& ended);
  void handle_failed_start(WorkerSlot& worker, const WorkerSlot::Ended& ended);
  void restart_later(WorkerSlot& worker);
  void note_all_ready();
  void update_view();
  void begin_stop();
  void stop_with_errors(const std::vector<std::string>& errors);
  void signal_all(int number);

  const Config& config_;
  const Logger& logger_;
  const Program program_ = Program::current();
  SupervisorSignals signals_;
  std::vector<http::Listener> listeners_;
  std::uint16_t port_ = 0;
  base::FileDescriptor ticket_secret_;  ///< of TLS, for all workers
  std::vector<WorkerSlot> workers_;
  RollingReload reload_;
  ClusterView view_;

  bool is_up_ = false;  ///< whether all workers were ready once
  bool is_stopping_ = false;
  int stop_signals_ = 0;
  Clock::time_point kill_at_ = Clock::time_point::max();
  int status_ = 0;
};

}  // namespace fw::cluster
