#include "cluster/cluster_view.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace fw::cluster {
namespace {

using detail::MetricSum;

/// A worker responds at once, unless it has been stopped.
constexpr std::chrono::milliseconds kResponseTime{2'000};
/// Its checks take time, too.
constexpr std::chrono::milliseconds kReadinessTime{10'000};

std::optional<std::string> send_log_level(WorkerLink& link, LogLevel level,
                                          std::chrono::milliseconds most) {
  return link.ask(WorkerQuestion::log_level, most, static_cast<std::uint8_t>(level));
}

}  // namespace

void ClusterView::update(Phase phase, const std::vector<Worker>& workers) {
  const std::lock_guard lock(mutex_);
  phase_ = phase;
  std::vector<std::shared_ptr<Known>> known;
  for (const Worker& worker : workers) {
    const auto found =
        std::ranges::find_if(workers_, [&](const auto& each) { return each->link == worker.link; });
    known.push_back(found != workers_.end() ? *found : std::make_shared<Known>(worker.link));
    if (found == workers_.end() && log_level_) {
      send_log_level(*worker.link, *log_level_, std::chrono::milliseconds(0));
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
    const auto text = worker->link->ask(WorkerQuestion::metrics, kResponseTime);
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

std::vector<std::shared_ptr<WorkerLink>> ClusterView::started_workers() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<WorkerLink>> links;
  for (const auto& worker : workers_) {
    if (worker->has_started) links.push_back(worker->link);
  }
  return links;
}

std::vector<std::string> ClusterView::requests() {
  std::vector<std::string> responses;
  for (const auto& link : started_workers()) {
    if (auto response = link->ask(WorkerQuestion::requests, kResponseTime)) {
      responses.push_back(std::move(*response));
    }
  }
  return responses;
}

std::optional<LogLevel> ClusterView::log_level() {
  for (const auto& link : started_workers()) {
    const auto response = link->ask(WorkerQuestion::log_level, kResponseTime);
    const auto level = response ? parse_log_level(*response) : std::nullopt;
    if (level) return level;
  }
  return std::nullopt;
}

void ClusterView::set_log_level(LogLevel level) {
  const std::lock_guard change(changing_);
  std::unique_lock lock(mutex_);
  log_level_ = level;
  std::vector<std::pair<std::shared_ptr<WorkerLink>, bool>> asked;
  for (const auto& worker : workers_) asked.emplace_back(worker->link, worker->has_started);
  lock.unlock();
  for (const auto& [link, has_started] : asked) {
    send_log_level(*link, level, has_started ? kResponseTime : std::chrono::milliseconds(0));
  }
}

}  // namespace fw::cluster
