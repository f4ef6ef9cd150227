#include "cluster/cluster_view.hpp"

#include <algorithm>
#include <utility>

namespace fw::cluster {
namespace {

using detail::MetricSum;
using Outcome = WorkerResponse::Outcome;
using Clock = std::chrono::steady_clock;

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
      worker.link->send(WorkerQuestion::log_level, static_cast<std::uint8_t>(*log_level_));
    }
    known.back()->is_ready = worker.is_ready;
    known.back()->has_started = worker.has_started;
  }
  for (const auto& each : workers_) {
    if (std::ranges::find(known, each) == known.end()) retire(*each);
  }
  workers_ = std::move(known);
}

/// The worker leaves its metrics when it stops. If it was killed, the last response counts.
void ClusterView::retire(Known& worker) {
  const std::lock_guard lock(worker.mutex);
  auto figures = detail::parse_figures(worker.link->last());
  ended_.add(figures ? *figures : worker.last, MetricSum::Part::counts);
}

ClusterView::Phase ClusterView::phase() const {
  const std::lock_guard lock(mutex_);
  return phase_;
}

/// With `mutex_`.
ClusterView::Asked ClusterView::ask_started(WorkerQuestion question) const {
  Asked asked;
  for (const auto& worker : workers_) {
    if (worker->has_started) asked.add(worker, question);
  }
  return asked;
}

MetricSum ClusterView::metrics() {
  const auto deadline = Clock::now() + kResponseTime;
  std::unique_lock lock(mutex_);
  const Asked asked = ask_started(WorkerQuestion::metrics);
  const MetricSum ended = ended_;
  lock.unlock();
  const auto responses = await_responses(asked.questions, deadline);
  MetricSum sum;
  for (std::size_t i = 0; i < responses.size(); ++i) {
    Known& worker = *asked.workers[i];
    auto figures = responses[i].outcome == Outcome::complete
                       ? detail::parse_figures(responses[i].text)
                       : std::nullopt;
    const std::lock_guard worker_lock(worker.mutex);
    sum.add(figures ? *figures : worker.last,
            figures ? MetricSum::Part::all : MetricSum::Part::counts);
    if (figures && asked.questions[i].number > worker.last_number) {
      worker.last = std::move(*figures);
      worker.last_number = asked.questions[i].number;
    }
  }
  sum.add(ended.figures(), MetricSum::Part::counts);
  return sum;
}

std::vector<std::optional<std::string>> ClusterView::readiness() {
  const auto deadline = Clock::now() + kReadinessTime;
  Asked asked;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& worker : workers_) {
      if (worker->is_ready) asked.add(worker, WorkerQuestion::readiness);
    }
  }
  std::vector<std::optional<std::string>> texts;
  for (WorkerResponse& response : await_responses(asked.questions, deadline)) {
    texts.push_back(response.outcome == Outcome::complete ? std::optional(std::move(response.text))
                                                          : std::nullopt);
  }
  return texts;
}

ClusterView::Requests ClusterView::requests() {
  const auto deadline = Clock::now() + kResponseTime;
  std::unique_lock lock(mutex_);
  const Asked asked = ask_started(WorkerQuestion::requests);
  lock.unlock();
  auto responses = await_responses(asked.questions, deadline);
  Requests requests{.responses = {}, .no_response = asked.silent(responses)};
  for (WorkerResponse& response : responses) {
    if (response.outcome == Outcome::complete) {
      requests.responses.push_back(std::move(response.text));
    }
  }
  return requests;
}

std::optional<LogLevel> ClusterView::log_level() {
  const auto deadline = Clock::now() + kResponseTime;
  std::unique_lock lock(mutex_);
  const Asked asked = ask_started(WorkerQuestion::log_level);
  lock.unlock();
  for (const WorkerResponse& response : await_responses(asked.questions, deadline)) {
    const auto level = parse_log_level(response.text);
    if (level) return level;
  }
  return std::nullopt;
}

std::vector<pid_t> ClusterView::set_log_level(LogLevel level) {
  const auto deadline = Clock::now() + kResponseTime;
  const auto argument = static_cast<std::uint8_t>(level);
  Asked asked;
  {
    const std::lock_guard lock(mutex_);
    log_level_ = level;
    for (const auto& worker : workers_) {
      if (worker->has_started) {
        asked.add(worker, WorkerQuestion::log_level, argument);
      } else {
        worker->link->send(WorkerQuestion::log_level, argument);
      }
    }
  }
  return asked.silent(await_responses(asked.questions, deadline));
}

}  // namespace fw::cluster
