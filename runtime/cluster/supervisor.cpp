#include "cluster/supervisor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <poll.h>
#include <signal.h>
#include <thread>
#include <utility>

namespace fw::cluster {
namespace {

using State = WorkerProcess::State;

std::size_t worker_count(const ClusterConfig& config) {
  if (config.workers > 0) return static_cast<std::size_t>(config.workers);
  return std::max(std::thread::hardware_concurrency(), 1U);
}

}  // namespace

Supervisor::Supervisor(const Config& config, http::AdapterOptions options, const Logger& logger)
    : config_(config), logger_(logger) {
  const std::size_t count = worker_count(config.cluster);
  const bool has_port = options.unix_socket.empty();
  options.reuse_port = has_port;
  for (std::size_t i = 0; i < (has_port ? count : 1); ++i) {
    listeners_.push_back(http::Listener::open(options));
    options.port = listeners_.front().port();
  }
  port_ = options.port;
  for (std::size_t i = 0; i < count; ++i) {
    places_.emplace_back(config.cluster);
    places_.back().number = static_cast<int>(i) + 1;
  }
}

int Supervisor::run() {
  for (Place& place : places_) place.current.emplace(start_worker(place));
  while (!is_over()) {
    wait_for_events();
    obey_signals();
    for (Place& place : places_) look_after(place);
    note_all_ready();
    go_on_with_reload();
    if (Clock::now() >= kill_at_) {
      logger_.warn("workers did not end in time and are killed");
      signal_all(SIGKILL);
      kill_at_ = Clock::time_point::max();
    }
  }
  return status_;
}

WorkerProcess Supervisor::start_worker(const Place& place) const {
  std::vector<int> descriptors;
  const std::size_t own = static_cast<std::size_t>(place.number) - 1;
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    descriptors.push_back(listeners_[(own + i) % listeners_.size()].socket().get());
  }
  return {program_, place.number, descriptors};
}

bool Supervisor::is_over() const {
  return std::all_of(places_.begin(), places_.end(), [](const Place& place) {
    return !place.current && !place.successor && !place.starts_at;
  });
}

void Supervisor::wait_for_events() const {
  std::vector<pollfd> entries = {{signals_.descriptor(), POLLIN, 0}};
  for (const Place& place : places_) {
    for (const auto* process : {&place.current, &place.successor}) {
      if (!*process) continue;
      entries.push_back({(*process)->life(), POLLIN, 0});
      entries.push_back({(*process)->link(), POLLIN, 0});
    }
  }
  using std::chrono::milliseconds;
  // Rounded up: a wait that ends too early would be repeated without pause.
  const auto left = std::chrono::ceil<milliseconds>(time_to_next());
  poll(entries.data(), entries.size(), static_cast<int>(left.count()));
}

Supervisor::Clock::duration Supervisor::time_to_next() const {
  const std::chrono::milliseconds start_timeout(config_.cluster.start_timeout);
  auto next = Clock::now() + std::chrono::hours(1);
  next = std::min(next, kill_at_);
  for (const Place& place : places_) {
    if (place.starts_at) next = std::min(next, *place.starts_at);
    for (const auto* process : {&place.current, &place.successor}) {
      if (*process && (*process)->state() == State::starting) {
        next = std::min(next, (*process)->since() + start_timeout);
      }
      // One that is replaced and does not end.
      if (*process && (*process)->state() == State::stopping && !is_stopping_) {
        next = std::min(next, (*process)->since() + stop_time());
      }
    }
  }
  return std::max(next - Clock::now(), Clock::duration::zero());
}

void Supervisor::obey_signals() {
  while (const auto number = signals_.take()) {
    switch (*number) {
      case SIGHUP:
        reload_is_wanted_ = true;
        break;
      case SIGUSR1:
        log_status();
        break;
      case SupervisorSignals::kStopRequest:
        begin_stop();
        break;
      default:
        if (++stop_signals_ > 1) {
          // What nobody listened to would do, to all of the cluster.
          signal_all(SIGKILL);
          ::signal(*number, SIG_DFL);
          ::raise(*number);
        }
        begin_stop();
    }
  }
}

void Supervisor::look_after(Place& place) {
  look_after(place, place.current);
  look_after(place, place.successor);
  if (place.starts_at && Clock::now() >= *place.starts_at) start_again(place);
}

void Supervisor::look_after(Place& place, std::optional<WorkerProcess>& process) {
  if (!process) return;
  while (const auto report = process->take_report()) {
    if (*report != Report::ready || process->state() != State::starting) continue;
    process->enter(State::ready);
    logger_.info(fmt::format("worker {} (process {}) is ready", place.number, process->pid()));
    if (&process == &place.successor) {
      take_over(place);
      return;
    }
  }
  if (const auto end = process->take_end()) {
    const WorkerProcess ended = std::move(*process);
    process.reset();
    note_end(place, ended, *end);
    return;
  }
  const auto age = Clock::now() - process->since();
  if (process->state() == State::starting &&
      age >= std::chrono::milliseconds(config_.cluster.start_timeout)) {
    process->add_error(fmt::format("worker {} was not ready after {} ms (cluster.startTimeout)",
                                   place.number, config_.cluster.start_timeout));
    process->signal(SIGKILL);
    process->enter(State::starting);
  } else if (process->state() == State::stopping && !is_stopping_ && age >= stop_time()) {
    process->signal(SIGKILL);
    process->enter(State::stopping);
  }
}

}  // namespace fw::cluster
