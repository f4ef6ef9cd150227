#include "cluster/supervisor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <poll.h>
#include <signal.h>
#include <thread>
#include <utility>

#include "errors/messages.hpp"
#include "http/tls/tls_server.hpp"

namespace fw::cluster {
namespace {

std::size_t worker_count(const ClusterConfig& config) {
  if (config.workers > 0) return static_cast<std::size_t>(config.workers);
  return std::max(std::thread::hardware_concurrency(), 1U);
}

}  // namespace

Supervisor::Supervisor(const Config& config, http::AdapterOptions options, const Logger& logger)
    : config_(config), logger_(logger), reload_(logger) {
  const std::size_t count = worker_count(config.cluster);
  const bool has_port = options.unix_socket.empty();
  options.reuse_port = has_port;
  for (std::size_t i = 0; i < (has_port ? count : 1); ++i) {
    listeners_.push_back(http::Listener::open(options));
    options.port = listeners_.front().port();
  }
  port_ = options.port;
  if (config.server.tls.is_enabled()) ticket_secret_ = http::make_ticket_secret_file();
  for (std::size_t i = 0; i < count; ++i) {
    workers_.emplace_back(static_cast<int>(i) + 1, config, logger,
                          [this](int number) { return start_worker(number); });
  }
}

int Supervisor::run() {
  for (WorkerSlot& worker : workers_) worker.start();
  while (!is_over()) {
    wait_for_events();
    handle_signals();
    supervise_workers();
    note_all_ready();
    update_view();
    if (is_up_ && !is_stopping_) reload_.proceed(workers_);
    if (Clock::now() >= kill_at_) {
      logger_.warn("workers did not exit in time; killing them");
      signal_all(SIGKILL);
      kill_at_ = Clock::time_point::max();
    }
  }
  return status_;
}

/// The worker inherits all listening sockets, its own first.
WorkerProcess Supervisor::start_worker(int number) const {
  std::vector<int> descriptors;
  const std::size_t own = static_cast<std::size_t>(number) - 1;
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    descriptors.push_back(listeners_[(own + i) % listeners_.size()].socket().get());
  }
  return {program_, number, descriptors, ticket_secret_.get(), config_.admin.is_enabled()};
}

bool Supervisor::is_over() const {
  return std::all_of(workers_.begin(), workers_.end(),
                     [](const WorkerSlot& worker) { return worker.is_empty(); });
}

void Supervisor::wait_for_events() const {
  using std::chrono::milliseconds;
  std::vector<pollfd> entries = {{signals_.descriptor(), POLLIN, 0}};
  auto next = std::min(Clock::now() + std::chrono::hours(1), kill_at_);
  for (const WorkerSlot& worker : workers_) {
    worker.append_descriptors(entries);
    next = std::min(next, worker.next_deadline(is_stopping_));
  }
  // Rounded up, because a wait that ends too early would cause a busy loop.
  const auto left = std::max(std::chrono::ceil<milliseconds>(next - Clock::now()), milliseconds(0));
  poll(entries.data(), entries.size(), static_cast<int>(left.count()));
}

void Supervisor::handle_signals() {
  while (const auto number = signals_.take()) {
    switch (*number) {
      case SIGHUP:
        reload_.request();
        break;
      case SIGUSR1:
        for (const WorkerSlot& worker : workers_) worker.log_status();
        break;
      case SupervisorSignals::kStopRequest:
        begin_stop();
        break;
      default:
        if (++stop_signals_ > 1) {
          // The default action, for the whole cluster.
          signal_all(SIGKILL);
          ::signal(*number, SIG_DFL);
          ::raise(*number);
        }
        begin_stop();
    }
  }
}

void Supervisor::supervise_workers() {
  for (WorkerSlot& worker : workers_) {
    for (const WorkerSlot::Ended& ended : worker.supervise(is_stopping_)) {
      handle_end(worker, ended);
    }
    if (!worker.restart_if_due()) restart_later(worker);
  }
}

void Supervisor::handle_end(WorkerSlot& worker, const WorkerSlot::Ended& ended) {
  if (is_stopping_) return;
  if (!ended.was_ready) {
    handle_failed_start(worker, ended);
  } else if (!ended.is_replaced) {
    restart_later(worker);
  }
}

void Supervisor::handle_failed_start(WorkerSlot& worker, const WorkerSlot::Ended& ended) {
  std::vector<std::string> errors = ended.errors;
  if (errors.empty()) {
    errors.push_back(
        fmt::format("worker {} ended with {} before it was ready", worker.number(), ended.how));
  }
  if (!is_up_) {
    stop_with_errors(errors);
    return;
  }
  for (const std::string& error : errors) {
    logger_.error(fmt::format("worker {} does not start: {}", worker.number(), error));
  }
  if (ended.is_replaced) {
    reload_.note_failed_start();
  } else {
    restart_later(worker);
  }
}

void Supervisor::restart_later(WorkerSlot& worker) {
  const ClusterConfig& config = config_.cluster;
  const bool others_are_ready =
      std::any_of(workers_.begin(), workers_.end(),
                  [&](const WorkerSlot& other) { return &other != &worker && other.is_ready(); });
  if (!config.auto_restart) {
    if (is_over()) stop_with_errors({"all workers have ended, and cluster.autoRestart is false"});
  } else if (!worker.schedule_restart(others_are_ready)) {
    stop_with_errors(
        {fmt::format("worker {} has ended more than {} times within {} ms (cluster.maxRestarts, "
                     "cluster.restartWindow), and no other worker is ready: stopping",
                     worker.number(), config.max_restarts, config.restart_window)});
  }
}

void Supervisor::note_all_ready() {
  if (is_up_ || is_stopping_) return;
  is_up_ = std::all_of(workers_.begin(), workers_.end(),
                       [](const WorkerSlot& worker) { return worker.is_ready(); });
  if (is_up_) logger_.info(fmt::format("all {} workers are ready", workers_.size()));
}

void Supervisor::update_view() {
  if (!config_.admin.is_enabled()) return;
  std::vector<ClusterView::Worker> workers;
  for (const WorkerSlot& worker : workers_) worker.append_workers(workers);
  const auto phase = is_up_ ? ClusterView::Phase::serving : ClusterView::Phase::starting;
  view_.update(is_stopping_ ? ClusterView::Phase::stopping : phase, workers);
}

void Supervisor::begin_stop() {
  if (std::exchange(is_stopping_, true)) return;
  update_view();  // before the time for the last connections
  logger_.info("stopping");
  std::chrono::milliseconds handshake_time{0};
  for (http::Listener& listener : listeners_) {
    handshake_time = std::max(handshake_time, listener.stop_accepting());
  }
  std::this_thread::sleep_for(handshake_time);
  // The workers accept the waiting clients and then close the last descriptors of the sockets.
  listeners_.clear();
  for (WorkerSlot& worker : workers_) worker.cancel_restart();
  signal_all(SIGTERM);
  kill_at_ = Clock::now() + stop_time(config_);
}

void Supervisor::stop_with_errors(const std::vector<std::string>& errors) {
  if (is_stopping_) return;
  status_ = 1;
  logger_.sink()->flush();
  detail::report_startup_errors(errors);
  begin_stop();
}

void Supervisor::signal_all(int number) {
  for (const WorkerSlot& worker : workers_) worker.signal(number);
}

}  // namespace fw::cluster
