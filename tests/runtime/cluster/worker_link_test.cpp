// How a supervisor gets the metrics of its workers, also of those that have ended.
#include "cluster/worker_link.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cluster/cluster_view.hpp"
#include "eventually.hpp"

namespace worker_link_test {

using fw::cluster::Await;
using fw::cluster::await_responses;
using fw::cluster::ClusterView;
using fw::cluster::SentQuestion;
using fw::cluster::WorkerLink;
using fw::cluster::WorkerQuestion;
using fw::cluster::WorkerResponder;
using fw::cluster::WorkerResponse;
using fw::detail::Exposition;
using namespace std::chrono_literals;

namespace {

constexpr auto kLong = 60'000ms;

WorkerLink::Clock::time_point late() { return WorkerLink::Clock::now() + kLong; }

/// The response; nothing if there is none in time.
std::optional<std::string> ask(WorkerLink& link, WorkerQuestion question,
                               std::chrono::milliseconds most) {
  const auto deadline = WorkerLink::Clock::now() + most;
  const SentQuestion sent = link.send(question, deadline);
  auto responses = await_responses({&sent, 1}, deadline);
  if (responses[0].outcome != WorkerResponse::Outcome::complete) return std::nullopt;
  return std::move(responses[0].text);
}

std::string jobs(double count) {
  Exposition text(Exposition::Format::prometheus);
  text.begin("jobs", fw::metrics::MetricType::counter, "");
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

ClusterView::Worker ready(const Worker& worker, pid_t pid = 1) {
  return {worker.link, pid, true, true};
}

double jobs_of(ClusterView& view) {
  const auto figures = view.metrics().figures();
  return figures.empty() ? 0 : figures[0].series[0].value;
}

}  // namespace

TEST_CASE("worker link: a worker responds, also with more than a packet has room for") {
  Worker worker(1);
  CHECK(ask(*worker.link, WorkerQuestion::metrics, kLong) == jobs(1));
  CHECK(ask(*worker.link, WorkerQuestion::readiness, kLong) == R"({"status":"ready"})");
  const std::string large(5'000'000, 'x');
  WorkerLink link;
  const WorkerResponder responder(link.worker_socket(), link.file(),
                                  [&](WorkerQuestion, std::uint8_t) { return large; });
  CHECK(ask(link, WorkerQuestion::metrics, kLong) == large);
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
  {
    const SentQuestion first = link.send(WorkerQuestion::metrics, late());
    while (calls == 0) usleep(1'000);
    CHECK(await_responses({&first, 1}, {})[0].outcome == WorkerResponse::Outcome::silent);
  }
  may_respond = true;
  CHECK(ask(link, WorkerQuestion::metrics, kLong) == "2");
}

TEST_CASE("worker link: a question does not wait for the response to another one") {
  WorkerLink link;
  std::vector<SentQuestion> questions;
  questions.push_back(link.send(WorkerQuestion::log_level, late(), 1));
  questions.push_back(link.send(WorkerQuestion::metrics, late()));
  // Nobody waits for this one any more.
  link.send(WorkerQuestion::metrics, {});
  questions.push_back(link.send(WorkerQuestion::requests, late()));
  CHECK(await_responses(questions, {})[0].outcome == WorkerResponse::Outcome::silent);
  std::string asked;
  {
    const WorkerResponder responder(link.worker_socket(), link.file(),
                                    [&](WorkerQuestion question, std::uint8_t) {
                                      asked += static_cast<char>(question);
                                      return asked;
                                    });
    const auto responses = await_responses(questions, late());
    for (const WorkerResponse& response : responses) {
      CHECK(response.outcome == WorkerResponse::Outcome::complete);
    }
    CHECK(responses[2].text == "LMQ");
  }
}

TEST_CASE("worker link: slow checks delay no other question, and are shared") {
  WorkerLink link;
  std::atomic<int> checks = 0;
  std::atomic<bool> may_respond = false;
  const WorkerResponder responder(link.worker_socket(), link.file(),
                                  [&](WorkerQuestion question, std::uint8_t) {
                                    if (question != WorkerQuestion::readiness) return jobs(1);
                                    ++checks;
                                    while (!may_respond) usleep(1'000);
                                    return std::string("ready");
                                  });
  std::vector<SentQuestion> probes;
  probes.push_back(link.send(WorkerQuestion::readiness, late()));
  while (checks == 0) usleep(1'000);
  probes.push_back(link.send(WorkerQuestion::readiness, late()));
  CHECK(ask(link, WorkerQuestion::metrics, 10'000ms) == jobs(1));
  CHECK(ask(link, WorkerQuestion::requests, 10'000ms) == jobs(1));
  may_respond = true;
  for (const WorkerResponse& response : await_responses(probes, late())) {
    CHECK(response.text == "ready");
  }
  CHECK(checks == 1);
  CHECK(ask(link, WorkerQuestion::readiness, kLong) == "ready");
  CHECK(checks == 2);
}

TEST_CASE("worker link: probes that wait for slow checks are bounded") {
  WorkerLink link;
  std::atomic<bool> may_respond = false;
  std::atomic<int> checks = 0;
  const WorkerResponder responder(link.worker_socket(), link.file(),
                                  [&](WorkerQuestion question, std::uint8_t) {
                                    if (question != WorkerQuestion::readiness) return jobs(1);
                                    ++checks;
                                    while (!may_respond) usleep(1'000);
                                    return std::string("ready");
                                  });
  std::vector<SentQuestion> probes;
  for (int i = 0; i < 200; ++i) {
    probes.push_back(link.send(WorkerQuestion::readiness, late()));
    CHECK(ask(link, WorkerQuestion::metrics, kLong) == jobs(1));  // it has been received
  }
  may_respond = true;
  CHECK(ask(link, WorkerQuestion::readiness, kLong) == "ready");
  int responses = 0;
  for (const SentQuestion& probe : probes) {
    const auto response = link.receive(probe);
    responses += response && response->outcome == WorkerResponse::Outcome::complete;
  }
  CHECK(responses > 32);
  CHECK(responses < 100);
}

TEST_CASE("worker link: threads that ask one worker receive their own responses") {
  WorkerLink link;
  const WorkerResponder responder(
      link.worker_socket(), link.file(), [](WorkerQuestion, std::uint8_t argument) {
        return std::string(argument * std::size_t{1'000}, static_cast<char>(argument));
      });
  std::vector<std::thread> threads;
  std::atomic<int> received = 0;
  for (std::uint8_t thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 100; ++i) {
        const auto argument = static_cast<std::uint8_t>(25 * thread + i % 25);
        const auto sent = link.send(WorkerQuestion::metrics, late(), argument);
        const auto text = await_responses({&sent, 1}, late())[0].text;
        received += text == std::string(argument * std::size_t{1'000}, static_cast<char>(argument));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(received == 800);
}

TEST_CASE("worker link: a worker that has been stopped holds a bounded number of questions") {
  WorkerLink link;
  int held = 0;
  const auto is_held = [&] {
    const auto sent = link.send(WorkerQuestion::metrics, late());
    return !link.receive(sent);
  };
  while (held < 10'000 && is_held()) ++held;
  CHECK(held >= 100);
  CHECK(held < 1'000);
}

TEST_CASE("worker link: a response that nobody receives delays no later question") {
  WorkerLink link;
  const WorkerResponder responder(
      link.worker_socket(), link.file(),
      [](WorkerQuestion, std::uint8_t) { return std::string(5'000'000, 'x'); });
  link.send(WorkerQuestion::metrics, late());
  CHECK(ask(link, WorkerQuestion::metrics, kLong) == std::string(5'000'000, 'x'));
}

TEST_CASE("worker link: a process without free descriptors asks and responds") {
  WorkerLink link;
  rlimit limit{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  const rlimit none{.rlim_cur = 3, .rlim_max = limit.rlim_max};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
  std::optional<std::string> response;
  {
    const WorkerResponder responder(link.worker_socket(), link.file(),
                                    [](WorkerQuestion, std::uint8_t) { return jobs(1); });
    response = ask(link, WorkerQuestion::metrics, kLong);
  }
  REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(response == jobs(1));
}

TEST_CASE("worker link: the first response is enough for a question about all workers") {
  Worker worker(1);
  WorkerLink silent;
  const std::vector<SentQuestion> questions = {
      silent.send(WorkerQuestion::log_level, late()),
      worker.link->send(WorkerQuestion::log_level, late())};
  const auto responses = await_responses(questions, late(), Await::first);
  CHECK(responses[0].outcome == WorkerResponse::Outcome::silent);
  CHECK(responses[1].text == "info");
}

TEST_CASE("worker link: the end of a worker is not a missing response") {
  Worker worker(1);
  std::vector<SentQuestion> questions;
  worker.stop();
  questions.push_back(worker.link->send(WorkerQuestion::readiness, late()));
  CHECK(await_responses(questions, {})[0].outcome == WorkerResponse::Outcome::ended);
}

TEST_CASE("worker link: a worker that stops leaves its metrics") {
  Worker worker(1);
  CHECK(ask(*worker.link, WorkerQuestion::readiness, kLong));
  worker.count = 5;
  worker.stop();
  CHECK(!ask(*worker.link, WorkerQuestion::metrics, kLong));
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

TEST_CASE("cluster view: no sum becomes smaller when a worker is killed while others respond") {
  ClusterView view;
  Worker killed(20);
  std::atomic<bool> is_asked = false;
  std::atomic<bool> may_respond = false;
  const auto slow = std::make_shared<WorkerLink>();
  WorkerResponder responder(slow->worker_socket(), slow->file(), [&](WorkerQuestion, std::uint8_t) {
    is_asked = true;
    while (!may_respond) usleep(1'000);
    return jobs(1);
  });
  // The killed worker is asked first, and responds to this before it ends.
  view.update(ClusterView::Phase::serving, {ready(killed), {slow, 2, true, true}});
  double sum = 0;
  std::thread asking([&] { sum = jobs_of(view); });
  while (!is_asked) usleep(1'000);
  CHECK(ask(*killed.link, WorkerQuestion::readiness, kLong));
  killed.kill();
  view.update(ClusterView::Phase::serving, {{slow, 2, true, true}});
  may_respond = true;
  asking.join();
  CHECK(sum == 21);
  CHECK(jobs_of(view) == 21);
  CHECK(jobs_of(view) == 21);
}

TEST_CASE("cluster view: a log level is set in all workers, also in those that start later") {
  ClusterView view;
  CHECK(!view.log_level());
  Worker serving(1);
  Worker starting(1);
  view.update(ClusterView::Phase::serving,
              {ready(serving), {starting.link, 2, /*is_ready=*/false, /*has_started=*/false}});
  CHECK(view.log_level() == fw::LogLevel::info);
  CHECK(view.set_log_level(fw::LogLevel::debug, [] {}).empty());
  CHECK(serving.level == fw::LogLevel::debug);
  CHECK(view.log_level() == fw::LogLevel::debug);
  // One that responds to a later question has responded to the level.
  CHECK(ask(*starting.link, WorkerQuestion::readiness, kLong));
  CHECK(starting.level == fw::LogLevel::debug);
  Worker next(1);
  view.update(ClusterView::Phase::serving, {ready(serving), ready(starting), ready(next)});
  CHECK(ask(*next.link, WorkerQuestion::readiness, kLong));
  CHECK(next.level == fw::LogLevel::debug);
}

TEST_CASE("cluster view: all workers are asked at once, and those that are silent are named") {
  // Each of two workers responds when both have been asked, and the third one never does.
  struct Waiting {
    explicit Waiting(std::atomic<int>& asked)
        : responder(link->worker_socket(), link->file(), [&](WorkerQuestion, std::uint8_t) {
            ++asked;
            while (asked < 2) usleep(1'000);
            return std::string("{}");
          }) {}
    std::shared_ptr<WorkerLink> link = std::make_shared<WorkerLink>();
    WorkerResponder responder;
  };
  std::atomic<int> asked = 0;
  const Waiting one(asked);
  const Waiting other(asked);
  const auto silent = std::make_shared<WorkerLink>();
  ClusterView view;
  view.update(ClusterView::Phase::serving,
              {{silent, 7, true, true}, {one.link, 8, true, true}, {other.link, 9, true, true}});
  const auto requests = view.requests();
  CHECK(requests.responses.size() == 2);
  CHECK(requests.no_response == std::vector<pid_t>{7});
  CHECK(view.set_log_level(fw::LogLevel::debug, [] {}) == std::vector<pid_t>{7});
}

TEST_CASE("cluster view: a worker that has ended does not fail the others") {
  ClusterView view;
  Worker serving(1);
  Worker ended(1);
  view.update(ClusterView::Phase::serving, {ready(serving), ready(ended)});
  ended.kill();
  CHECK(view.readiness() == std::vector<std::optional<std::string>>{R"({"status":"ready"})"});
}

TEST_CASE("cluster view: ended workers are added while sums overlap") {
  ClusterView view;
  std::atomic<int> asked = 0;
  std::atomic<bool> may_respond = false;
  const auto slow = std::make_shared<WorkerLink>();
  const WorkerResponder responder(slow->worker_socket(), slow->file(),
                                  [&](WorkerQuestion, std::uint8_t) {
                                    ++asked;
                                    while (!may_respond) usleep(1'000);
                                    return jobs(1);
                                  });
  const ClusterView::Worker staying{slow, 2, true, true};
  view.update(ClusterView::Phase::serving, {staying});
  std::thread asking([&] { jobs_of(view); });
  while (asked == 0) usleep(1'000);
  // Nobody waits for a worker that begins and ends now.
  std::weak_ptr<WorkerLink> link;
  {
    Worker brief(4);
    link = brief.link;
    view.update(ClusterView::Phase::serving, {staying, ready(brief)});
    brief.stop();
    view.update(ClusterView::Phase::serving, {staying});
  }
  CHECK(link.expired());
  may_respond = true;
  asking.join();
  CHECK(jobs_of(view) == 5);
}

TEST_CASE("worker link: a packet that is no question is reported once, and ends no worker") {
  WorkerLink link;
  std::atomic<int> reports = 0;
  const WorkerResponder responder(
      link.worker_socket(), link.file(), [](WorkerQuestion, std::uint8_t) { return jobs(1); },
      [&] { ++reports; });
  REQUIRE(send(link.socket(), "MR", 2, 0) == 2);
  REQUIRE(send(link.socket(), "MR", 2, 0) == 2);
  CHECK(ask(link, WorkerQuestion::metrics, kLong) == jobs(1));
  CHECK(reports == 1);
}

TEST_CASE("worker link: a log level is not lost when a stopped worker has too many questions") {
  WorkerLink link;
  int held = 0;
  const auto is_held = [&] {
    const auto sent = link.send(WorkerQuestion::metrics, {});
    return !link.receive(sent);
  };
  while (held < 10'000 && is_held()) ++held;
  for (const auto level : {fw::LogLevel::debug, fw::LogLevel::warn}) {
    const auto sent =
        link.send(WorkerQuestion::log_level, late(), static_cast<std::uint8_t>(level));
    CHECK(await_responses({&sent, 1}, {})[0].outcome == WorkerResponse::Outcome::silent);
  }
  std::atomic<int> changes = 0;
  std::atomic<int> last = 0;
  const WorkerResponder responder(link.worker_socket(), link.file(),
                                  [&](WorkerQuestion question, std::uint8_t argument) {
                                    if (question == WorkerQuestion::log_level) {
                                      ++changes;
                                      last = argument;
                                    }
                                    return jobs(1);
                                  });
  CHECK(fairway::test::eventually(
      [&] { return ask(link, WorkerQuestion::metrics, 1'000ms).has_value(); }));
  CHECK(changes == 1);
  CHECK(last == static_cast<int>(fw::LogLevel::warn));
}

TEST_CASE("worker link: a part that is larger than this program receives is no response") {
  WorkerLink link;
  const auto outcome_with = [&](std::size_t part) {
    const SentQuestion sent = link.send(WorkerQuestion::metrics, late());
    const struct {
      std::uint64_t number;
      std::uint64_t is_last;  // the first byte, with padding
    } head{sent.number, 1};
    const std::string bytes =
        std::string(reinterpret_cast<const char*>(&head), sizeof head) + std::string(part, 'x');
    REQUIRE(send(link.worker_socket(), bytes.data(), bytes.size(), 0) > 0);
    return await_responses({&sent, 1}, late())[0].outcome;
  };
  CHECK(outcome_with(16 * 1024) == WorkerResponse::Outcome::complete);
  CHECK(outcome_with(16 * 1024 + 1) == WorkerResponse::Outcome::silent);
}

TEST_CASE("worker link: a worker without memory for a response is silent") {
  WorkerLink link;
  const WorkerResponder responder(
      link.worker_socket(), link.file(),
      [](WorkerQuestion question, std::uint8_t) -> std::optional<std::string> {
        if (question == WorkerQuestion::requests) return std::nullopt;
        return jobs(1);
      });
  const std::vector<SentQuestion> questions = {link.send(WorkerQuestion::requests, late()),
                                               link.send(WorkerQuestion::metrics, late())};
  const auto responses = await_responses(questions, late(), Await::first);
  CHECK(responses[0].outcome == WorkerResponse::Outcome::silent);
  CHECK(responses[1].text == jobs(1));
}

TEST_CASE("cluster view: workers that start are not asked, and those that stop are not ready") {
  ClusterView view;
  const auto starting = std::make_shared<WorkerLink>();
  Worker stopping(3);
  view.update(ClusterView::Phase::starting,
              {{starting, 1, false, false}, {stopping.link, 2, false, true}});
  CHECK(view.phase() == ClusterView::Phase::starting);
  CHECK(jobs_of(view) == 3);
  CHECK(view.readiness().empty());
  view.update(ClusterView::Phase::serving, {ready(stopping)});
  CHECK(view.readiness() == std::vector<std::optional<std::string>>{R"({"status":"ready"})"});
}

}  // namespace worker_link_test
