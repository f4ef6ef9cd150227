#include "cluster/cluster_view.hpp"

#include <algorithm>

namespace fw::cluster {
namespace {

using detail::MetricSum;
using Outcome = WorkerResponse::Outcome;
using Clock = WorkerLink::Clock;

/// A worker responds at once, unless it has been stopped.
constexpr std::chrono::milliseconds kResponseTime{2'000};
/// Its checks take time, too.
constexpr std::chrono::milliseconds kReadinessTime{10'000};

}  // namespace

std::vector<pid_t> ClusterView::Asked::silent(const std::vector<WorkerResponse>& responses) const {
  std::vector<pid_t> pids;
  for (std::size_t i = 0; i < responses.size(); ++i) {
    if (responses[i].outcome == Outcome::silent) pids.push_back(workers[i]->pid);
  }
  return pids;
}

void ClusterView::update(Phase phase, const std::vector<Worker>& workers) {
  const std::lock_guard lock(mutex_);
  phase_ = phase;
  std::vector<std::shared_ptr<Known>> known;
  for (const Worker& worker : workers) {
    const auto found =
        std::ranges::find_if(workers_, [&](const auto& each) { return each->link == worker.link; });
    known.push_back(found != workers_.end() ? *found
                                            : std::make_shared<Known>(worker.link, worker.pid));
    if (found == workers_.end() && log_level_) {
      worker.link->send(WorkerQuestion::log_level, Clock::now(),
                        static_cast<std::uint8_t>(*log_level_));
    }
    known.back()->is_ready = worker.is_ready;
    known.back()->has_started = worker.has_started;
  }
  for (const auto& each : workers_) {
    if (std::ranges::find(known, each) == known.end()) ended_workers_.push_back(each);
  }
  workers_ = std::move(known);
  add_ended_workers();
}

/// With `mutex_`. A worker leaves its metrics when it stops. If it was killed, its last response
/// counts, for which a thread that has asked it may still wait.
void ClusterView::add_ended_workers() {
  std::erase_if(ended_workers_, [&](const std::shared_ptr<Known>& worker) {
    if (worker.use_count() > 1) return false;
    auto figures = detail::parse_figures(worker->link->last());
    ended_.add(figures ? *figures : worker->last, MetricSum::Part::counts);
    return true;
  });
}

ClusterView::Phase ClusterView::phase() const {
  const std::lock_guard lock(mutex_);
  return phase_;
}

/// With `mutex_`.
ClusterView::Asked ClusterView::ask_started(WorkerQuestion question) const {
  Asked asked(kResponseTime);
  for (const auto& worker : workers_) {
    if (worker->has_started) asked.add(worker, question);
  }
  return asked;
}

MetricSum ClusterView::metrics() {
  std::unique_lock lock(mutex_);
  const Asked asked = ask_started(WorkerQuestion::metrics);
  lock.unlock();
  const auto responses = asked.responses();
  MetricSum sum;
  lock.lock();
  for (std::size_t i = 0; i < responses.size(); ++i) {
    Known& worker = *asked.workers[i];
    auto figures = responses[i].outcome == Outcome::complete
                       ? detail::parse_figures(responses[i].text)
                       : std::nullopt;
    sum.add(figures ? *figures : worker.last,
            figures ? MetricSum::Part::all : MetricSum::Part::counts);
    if (figures && asked.questions[i].number > worker.last_number) {
      worker.last = std::move(*figures);
      worker.last_number = asked.questions[i].number;
    }
  }
  // Those that have ended since they were asked are in the sum.
  for (const auto& worker : ended_workers_) {
    if (std::ranges::find(asked.workers, worker) == asked.workers.end()) {
      sum.add(worker->last, MetricSum::Part::counts);
    }
  }
  sum.add(ended_.figures(), MetricSum::Part::counts);
  return sum;
}

std::vector<std::optional<std::string>> ClusterView::readiness() {
  Asked asked(kReadinessTime);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& worker : workers_) {
      if (worker->is_ready) asked.add(worker, WorkerQuestion::readiness);
    }
  }
  std::vector<std::optional<std::string>> texts;
  for (WorkerResponse& response : asked.responses()) {
    if (response.outcome == Outcome::ended) continue;
    texts.push_back(response.outcome == Outcome::complete ? std::optional(std::move(response.text))
                                                          : std::nullopt);
  }
  return texts;
}

ClusterView::Requests ClusterView::requests() {
  std::unique_lock lock(mutex_);
  const Asked asked = ask_started(WorkerQuestion::requests);
  lock.unlock();
  auto responses = asked.responses();
  Requests requests{.responses = {}, .no_response = asked.silent(responses)};
  for (WorkerResponse& response : responses) {
    if (response.outcome == Outcome::complete) {
      requests.responses.push_back(std::move(response.text));
    }
  }
  return requests;
}

std::optional<LogLevel> ClusterView::log_level() {
  std::unique_lock lock(mutex_);
  const Asked asked = ask_started(WorkerQuestion::log_level);
  lock.unlock();
  for (const WorkerResponse& response : asked.responses(Await::first)) {
    const auto level = parse_log_level(response.text);
    if (level) return level;
  }
  return std::nullopt;
}

std::vector<pid_t> ClusterView::set_log_level(LogLevel level,
                                              const std::function<void()>& set_own) {
  const auto argument = static_cast<std::uint8_t>(level);
  Asked asked(kResponseTime);
  {
    const std::lock_guard lock(mutex_);
    log_level_ = level;
    set_own();
    for (const auto& worker : workers_) {
      if (worker->has_started) {
        asked.add(worker, WorkerQuestion::log_level, argument);
      } else {
        worker->link->send(WorkerQuestion::log_level, Clock::now(), argument);
      }
    }
  }
  return asked.silent(asked.responses());
}

}  // namespace fw::cluster
