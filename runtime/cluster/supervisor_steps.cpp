// What a supervisor does about starts and ends: restarts, replacements, the end of the cluster.
#include <fmt/format.h>

#include <algorithm>
#include <signal.h>
#include <system_error>
#include <thread>
#include <utility>

#include "cluster/supervisor.hpp"
#include "errors/startup_report.hpp"

namespace fw::cluster {
namespace {

using State = WorkerProcess::State;

/// What a worker may take to end beyond shutdown.timeout, before it is killed.
constexpr std::chrono::seconds kKillMargin{5};

std::string_view name_of(State state) {
  switch (state) {
    case State::starting:
      return "starting";
    case State::ready:
      return "ready";
    case State::stopping:
      return "stopping";
  }
  return {};
}

}  // namespace

std::chrono::milliseconds Supervisor::stop_time() const {
  return std::chrono::milliseconds(config_.shutdown.timeout) + kKillMargin;
}

void Supervisor::start_again(Place& place) {
  place.starts_at.reset();
  ++place.restarts;
  try {
    place.current.emplace(start_worker(place));
  } catch (const std::system_error& error) {
    logger_.error(fmt::format("worker {}: {}", place.number, error.what()));
    schedule_restart(place);
  }
}

/// The successor is ready: the old one may go, with what it still does.
void Supervisor::take_over(Place& place) {
  std::swap(place.current, place.successor);
  if (!place.successor) return;  // the old one has ended by itself
  place.successor->signal(SIGTERM);
  place.successor->enter(State::stopping);
}

void Supervisor::note_all_ready() {
  if (is_up_ || is_stopping_) return;
  is_up_ = std::all_of(places_.begin(), places_.end(), [](const Place& place) {
    return place.current && place.current->state() == State::ready;
  });
  if (is_up_) logger_.info(fmt::format("all {} workers are ready", places_.size()));
}

void Supervisor::note_end(Place& place, const WorkerProcess& process, const std::string& end) {
  if (is_stopping_ || process.state() == State::stopping) return;
  if (process.state() == State::starting) {
    note_failed_start(place, process, end);
    return;
  }
  logger_.error(fmt::format("worker {} (process {}) ended by itself with {}", place.number,
                            process.pid(), end));
  if (!place.successor) schedule_restart(place);
}

void Supervisor::note_failed_start(Place& place, const WorkerProcess& process,
                                   const std::string& end) {
  std::vector<std::string> errors = process.errors();
  if (errors.empty()) {
    errors.push_back(fmt::format("worker {} ended with {} before it was ready", place.number, end));
  }
  if (!is_up_) {
    give_up(errors);
    return;
  }
  for (const std::string& error : errors) {
    logger_.error(fmt::format("worker {} does not start: {}", place.number, error));
  }
  if (!place.current) {
    schedule_restart(place);
  } else if (is_reloading_) {
    logger_.error("reload given up: the workers that are running go on");
    is_reloading_ = false;
  }
}

void Supervisor::schedule_restart(Place& place) {
  const ClusterConfig& config = config_.cluster;
  if (!config.auto_restart) {
    if (is_over()) give_up({"all workers have ended, and cluster.autoRestart is false"});
    return;
  }
  const auto delay = place.policy.note_end(Clock::now());
  if (!delay) {
    give_up(
        {fmt::format("worker {} has ended more than {} times within {} ms "
                     "(cluster.maxRestarts, cluster.restartWindow): giving up",
                     place.number, config.max_restarts, config.restart_window)});
    return;
  }
  logger_.info(fmt::format("worker {} starts again in {} ms", place.number, delay->count()));
  place.starts_at = Clock::now() + *delay;
}

void Supervisor::go_on_with_reload() {
  if (is_stopping_ || !is_up_) return;
  if (!is_reloading_ && std::exchange(reload_is_wanted_, false)) {
    logger_.info("reloading: replacing one worker after the other");
    is_reloading_ = true;
    reload_place_ = 0;
    reload_has_begun_here_ = false;
  }
  while (is_reloading_) {
    if (reload_place_ == places_.size()) {
      is_reloading_ = false;
      logger_.info("reloaded: all workers have been replaced");
      return;
    }
    Place& place = places_[reload_place_];
    if (place.successor) return;  // is starting, or its predecessor is ending
    if (reload_has_begun_here_) {
      ++reload_place_;
      reload_has_begun_here_ = false;
      continue;
    }
    if (!place.current || place.current->state() == State::starting) {
      // Comes up new without being replaced, once it does.
      ++reload_place_;
      continue;
    }
    try {
      place.successor.emplace(start_worker(place));
      reload_has_begun_here_ = true;
    } catch (const std::system_error& error) {
      logger_.error(fmt::format("reload given up: worker {}: {}", place.number, error.what()));
      is_reloading_ = false;
    }
  }
}

void Supervisor::log_status() const {
  const auto now = Clock::now();
  for (const Place& place : places_) {
    for (const auto* process : {&place.current, &place.successor}) {
      if (!*process) continue;
      const auto age = std::chrono::duration_cast<std::chrono::seconds>(now - (*process)->since());
      logger_.info(fmt::format("worker {}: process {}, {} for {} s, restarted {} times",
                               place.number, (*process)->pid(), name_of((*process)->state()),
                               age.count(), place.restarts));
    }
    if (!place.current && !place.successor) {
      logger_.info(
          fmt::format("worker {}: no process, restarted {} times", place.number, place.restarts));
    }
  }
}

void Supervisor::begin_stop() {
  if (std::exchange(is_stopping_, true)) return;
  logger_.info("stopping");
  std::chrono::milliseconds handshake_time{0};
  for (http::Listener& listener : listeners_) {
    handshake_time = std::max(handshake_time, listener.close_door());
  }
  std::this_thread::sleep_for(handshake_time);
  // The workers let in who still waits, and close the sockets for good.
  listeners_.clear();
  for (Place& place : places_) place.starts_at.reset();
  signal_all(SIGTERM);
  kill_at_ = Clock::now() + stop_time();
}

void Supervisor::give_up(const std::vector<std::string>& errors) {
  if (is_stopping_) return;
  status_ = 1;
  logger_.sink()->flush();
  detail::report_startup_errors(errors);
  begin_stop();
}

void Supervisor::signal_all(int number) {
  for (Place& place : places_) {
    for (auto* process : {&place.current, &place.successor}) {
      if (*process) (*process)->signal(number);
    }
  }
}

}  // namespace fw::cluster
