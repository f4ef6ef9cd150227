// How a supervisor gets the metrics of its workers, also of those that have ended.
#include "cluster/worker_link.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "cluster/cluster_view.hpp"

namespace worker_link_test {

using fw::cluster::ClusterView;
using fw::cluster::WorkerLink;
using fw::cluster::WorkerQuestion;
using fw::cluster::WorkerResponder;
using fw::detail::Exposition;
using namespace std::chrono_literals;

namespace {

constexpr auto kLong = 60'000ms;

std::string jobs(double count) {
  Exposition text(Exposition::Format::prometheus);
  text.begin("jobs", Exposition::Kind::counter, "");
  text.sample({}, count);
  return fw::detail::figures_text(text.take());
}

/// A worker of this process.
struct Worker {
  explicit Worker(double count) : count(count) {
    // As a child has it, when the supervisor has closed its own.
    socket = dup(link->worker_socket());
    link->release_worker_socket();
    responder = std::make_unique<WorkerResponder>(
        socket, link->file(), [this](WorkerQuestion question, std::uint8_t argument) {
          if (question == WorkerQuestion::readiness) return std::string(R"({"status":"ready"})");
          if (question == WorkerQuestion::log_level) {
            if (argument != 0) level = static_cast<fw::LogLevel>(argument);
            return std::string(to_string(level.load()));
          }
          return jobs(this->count);
        });
  }
  /// Without its last metrics.
  void kill() {
    responder.reset();
    close(socket);
    REQUIRE(ftruncate(link->file(), 0) == 0);
  }
  void stop() {
    responder.reset();
    close(socket);
  }

  std::shared_ptr<WorkerLink> link = std::make_shared<WorkerLink>();
  std::atomic<double> count;
  std::atomic<fw::LogLevel> level = fw::LogLevel::info;
  int socket = -1;
  std::unique_ptr<WorkerResponder> responder;
};

ClusterView::Worker ready(const Worker& worker) { return {worker.link, true, true}; }

double jobs_of(ClusterView& view) {
  const auto figures = view.metrics().figures();
  return figures.empty() ? 0 : figures[0].series[0].value;
}

}  // namespace

TEST_CASE("worker link: a worker responds, also with more than a packet has room for") {
  Worker worker(1);
  CHECK(worker.link->ask(WorkerQuestion::metrics, kLong) == jobs(1));
  CHECK(worker.link->ask(WorkerQuestion::readiness, kLong) == R"({"status":"ready"})");
  const std::string large(5'000'000, 'x');
  WorkerLink link;
  const WorkerResponder responder(link.worker_socket(), link.file(),
                                  [&](WorkerQuestion, std::uint8_t) { return large; });
  CHECK(link.ask(WorkerQuestion::metrics, kLong) == large);
}

TEST_CASE("worker link: a late response is not taken for the response to the next question") {
  WorkerLink link;
  std::atomic<int> calls = 0;
  std::atomic<bool> may_respond = false;
  const WorkerResponder responder(link.worker_socket(), link.file(),
                                  [&](WorkerQuestion, std::uint8_t) {
                                    const int call = ++calls;
                                    while (!may_respond) usleep(1'000);
                                    return std::to_string(call);
                                  });
  CHECK(!link.ask(WorkerQuestion::metrics, 1ms));
  may_respond = true;
  CHECK(link.ask(WorkerQuestion::metrics, kLong) == "2");
}

TEST_CASE("worker link: a worker that stops leaves its metrics") {
  Worker worker(1);
  CHECK(worker.link->ask(WorkerQuestion::readiness, kLong));
  worker.count = 5;
  worker.stop();
  CHECK(!worker.link->ask(WorkerQuestion::metrics, kLong));
  CHECK(worker.link->last() == jobs(5));
}

TEST_CASE("cluster view: no sum becomes smaller when workers end") {
  ClusterView view;
  Worker stopping(10);
  Worker killed(20);
  Worker staying(40);
  view.update(ClusterView::Phase::serving, {ready(stopping), ready(killed), ready(staying)});
  CHECK(jobs_of(view) == 70);
  stopping.count = 11;
  stopping.stop();
  killed.kill();
  // Before the supervisor knows it: what they have sent counts.
  CHECK(jobs_of(view) == 70);
  view.update(ClusterView::Phase::serving, {ready(staying)});
  CHECK(jobs_of(view) == 71);
  Worker next(1);
  view.update(ClusterView::Phase::serving, {ready(staying), ready(next)});
  CHECK(jobs_of(view) == 72);
}

TEST_CASE("cluster view: a log level is set in all workers, also in those that start later") {
  ClusterView view;
  CHECK(!view.log_level());
  Worker serving(1);
  Worker starting(1);
  view.update(ClusterView::Phase::serving,
              {ready(serving), {starting.link, /*is_ready=*/false, /*has_started=*/false}});
  CHECK(view.log_level() == fw::LogLevel::info);
  view.set_log_level(fw::LogLevel::debug);
  CHECK(serving.level == fw::LogLevel::debug);
  CHECK(view.log_level() == fw::LogLevel::debug);
  // One that responds to a later question has responded to the level.
  CHECK(starting.link->ask(WorkerQuestion::readiness, kLong));
  CHECK(starting.level == fw::LogLevel::debug);
  Worker next(1);
  view.update(ClusterView::Phase::serving, {ready(serving), ready(starting), ready(next)});
  CHECK(next.link->ask(WorkerQuestion::readiness, kLong));
  CHECK(next.level == fw::LogLevel::debug);
}

TEST_CASE("cluster view: workers that start are not asked, and those that stop are not ready") {
  ClusterView view;
  const auto starting = std::make_shared<WorkerLink>();
  Worker stopping(3);
  view.update(ClusterView::Phase::starting,
              {{starting, false, false}, {stopping.link, false, true}});
  CHECK(view.phase() == ClusterView::Phase::starting);
  CHECK(jobs_of(view) == 3);
  CHECK(view.readiness().empty());
  view.update(ClusterView::Phase::serving, {ready(stopping)});
  CHECK(view.readiness() == std::vector<std::optional<std::string>>{R"({"status":"ready"})"});
}

}  // namespace worker_link_test
