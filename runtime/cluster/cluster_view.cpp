#include "cluster/cluster_view.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace fw::cluster {
namespace {

using detail::MetricSum;

/// A worker responds at once, unless it has been stopped.
constexpr std::chrono::milliseconds kMetricsTime{2'000};
/// Its checks take time, too.
constexpr std::chrono::milliseconds kReadinessTime{10'000};

}  // namespace

void ClusterView::update(Phase phase, const std::vector<Worker>& workers) {
  const std::lock_guard lock(mutex_);
  phase_ = phase;
  std::vector<std::shared_ptr<Known>> known;
  for (const Worker& worker : workers) {
    const auto found =
        std::ranges::find_if(workers_, [&](const auto& each) { return each->link == worker.link; });
    known.push_back(found != workers_.end() ? *found : std::make_shared<Known>(worker.link));
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

MetricSum ClusterView::metrics() {
  std::unique_lock lock(mutex_);
  std::vector<std::shared_ptr<Known>> asked;
  std::ranges::copy_if(workers_, std::back_inserter(asked),
                       [](const auto& worker) { return worker->has_started; });
  const MetricSum ended = ended_;
  lock.unlock();
  MetricSum sum;
  for (const auto& worker : asked) {
    const std::lock_guard worker_lock(worker->mutex);
    const auto text = worker->link->ask(WorkerQuestion::metrics, kMetricsTime);
    auto figures = text ? detail::parse_figures(*text) : std::nullopt;
    if (figures) worker->last = std::move(*figures);
    sum.add(worker->last, figures ? MetricSum::Part::all : MetricSum::Part::counts);
  }
  sum.add(ended.figures(), MetricSum::Part::counts);
  return sum;
}

std::vector<std::optional<std::string>> ClusterView::readiness() {
  std::unique_lock lock(mutex_);
  std::vector<std::shared_ptr<WorkerLink>> asked;
  for (const auto& worker : workers_) {
    if (worker->is_ready) asked.push_back(worker->link);
  }
  lock.unlock();
  std::vector<std::optional<std::string>> responses;
  for (const auto& link : asked) {
    responses.push_back(link->ask(WorkerQuestion::readiness, kReadinessTime));
  }
  return responses;
}

}  // namespace fw::cluster
