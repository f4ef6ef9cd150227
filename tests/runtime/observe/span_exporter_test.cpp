#include "observe/span_exporter.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <signal.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "eventually.hpp"

namespace span_exporter_test {

using fairway::test::eventually;
using fw::detail::SpanExporter;
using fw::detail::SpanQueue;
using fw::detail::SpanRecord;
using fw::detail::SpanReply;
using namespace std::chrono_literals;
using Result = SpanReply::Result;

namespace {

SpanQueue::Spans spans(std::size_t count) {
  SpanQueue::Spans all;
  for (std::size_t i = 0; i < count; ++i) all.emplace_back().rename("span");
  return all;
}

std::string figures(const SpanQueue& queue) {
  fw::detail::Exposition text(fw::detail::Exposition::Format::prometheus);
  queue.write(text);
  return text.finish();
}

bool has(const SpanQueue& queue, const std::string& line) {
  return ("\n" + figures(queue)).find("\n" + line + "\n") != std::string::npos;
}

std::string lost(const std::string& cause, int count) {
  return "fairway_lost_spans_total{cause=\"" + cause + "\"} " + std::to_string(count);
}

/// What was sent and reported.
struct Calls {
  std::mutex mutex;
  std::vector<std::string> reports = {};
  std::atomic<int> sent = 0;

  SpanExporter::Report report() {
    return [this](const std::string& reason) {
      const std::lock_guard lock(mutex);
      reports.push_back(reason);
    };
  }
  std::vector<std::string> all_reports() {
    const std::lock_guard lock(mutex);
    return reports;
  }
};

SpanExporter::Options at_once() { return {.service_name = "test", .interval = 1ms, .pause = 1ms}; }

}  // namespace

TEST_CASE("span queue: too many spans are dropped and counted, and nobody waits") {
  SpanQueue queue(10);
  queue.push(spans(8));
  queue.push(spans(3));
  queue.push(spans(2));
  CHECK(has(queue, lost("queue", 3)));
  CHECK(queue.take(100, 1ms).size() == 10);
  queue.push(spans(10));
  CHECK(has(queue, lost("queue", 3)));
}

TEST_CASE("span queue: the bytes that wait have a bound, too") {
  SpanQueue queue(1'000'000);
  SpanRecord large;
  for (int i = 0; i < 32; ++i) large.set("k" + std::to_string(i), std::string(1'024, 'x'));
  for (int i = 0; i < 1'000; ++i) queue.push({large});
  queue.close();
  CHECK(queue.take(1'000'000, 1h).size() < 600);  // of 33 KB each
}

TEST_CASE("span queue: a batch is taken when it is complete, or after the interval") {
  SpanQueue queue(100);
  std::atomic<std::size_t> taken = 0;
  std::thread taker([&] { taken = queue.take(10, 1h).size(); });
  queue.push(spans(9));
  CHECK(taken == 0);
  queue.push(spans(1));
  taker.join();
  CHECK(taken == 10);
  queue.push(spans(1));
  CHECK(queue.take(10, 1ms).size() == 1);
}

TEST_CASE("span queue: a queue that is half full is taken, whatever a batch is") {
  SpanQueue queue(10);
  queue.push(spans(5));
  CHECK(queue.take(512, 1h).size() == 5);
}

TEST_CASE("span exporter: its thread does not handle signals") {
  const auto queue = std::make_shared<SpanQueue>(100);
  Calls calls;
  std::atomic<bool> is_blocked = false;
  SpanExporter exporter(
      queue, at_once(),
      [&](auto, auto, const auto&) {
        sigset_t blocked;
        pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
        is_blocked = sigismember(&blocked, SIGTERM) == 1;
        return SpanReply{.result = Result::accepted};
      },
      calls.report());
  queue->push(spans(1));
  exporter.stop(1h);
  CHECK(is_blocked);
}

TEST_CASE("span exporter: what the collector accepts, and what it rejects, is counted") {
  const auto queue = std::make_shared<SpanQueue>(100);
  Calls calls;
  SpanExporter exporter(
      queue, at_once(),
      [&](const auto& body, auto, const auto&) {
        CHECK(body->find(R"("stringValue":"test")") != std::string::npos);
        ++calls.sent;
        return SpanReply{.result = Result::accepted, .rejected_spans = 2};
      },
      calls.report());
  queue->push(spans(5));
  CHECK(eventually([&] { return has(*queue, "fairway_sent_spans_total 3"); }));
  CHECK(has(*queue, lost("rejected", 2)));
  CHECK(calls.all_reports().empty());
}

TEST_CASE("span exporter: rejected spans of an accepted batch are reported once in an interval") {
  const auto queue = std::make_shared<SpanQueue>(100);
  Calls calls;
  std::mutex mutex;
  std::vector<std::string> rejections;
  auto options = at_once();
  options.rejection_interval = 1h;
  options.report_rejection = [&](std::size_t rejected, std::size_t all, const std::string& reason) {
    const std::lock_guard lock(mutex);
    rejections.push_back(std::to_string(rejected) + " of " + std::to_string(all) + ": " + reason);
  };
  SpanExporter exporter(
      queue, options,
      [&](auto, auto, const auto&) {
        return SpanReply{.result = Result::accepted, .rejected_spans = 2, .reason = "too old"};
      },
      calls.report());
  for (const int count : {2, 4, 6}) {
    queue->push(spans(5));
    CHECK(eventually([&] { return has(*queue, lost("rejected", count)); }));
  }
  const std::lock_guard lock(mutex);
  CHECK(rejections == std::vector<std::string>{"2 of 5: too old"});
}

TEST_CASE("span exporter: a log that fails loses no spans and ends nothing") {
  const auto queue = std::make_shared<SpanQueue>(100);
  auto options = at_once();
  options.report_rejection = [](auto&&...) { throw std::runtime_error("no space left"); };
  std::atomic<int> sent = 0;
  SpanExporter exporter(
      queue, options,
      [&](auto, auto, const auto&) -> SpanReply {
        if (++sent == 1) return {.result = Result::rejected, .reason = "malformed"};
        return {.result = Result::accepted, .rejected_spans = 1};
      },
      [](const std::string&) { throw std::runtime_error("no space left"); });
  queue->push(spans(5));
  CHECK(eventually([&] { return has(*queue, lost("rejected", 5)); }));
  queue->push(spans(5));
  CHECK(eventually([&] { return has(*queue, lost("rejected", 6)); }));
  CHECK(has(*queue, "fairway_sent_spans_total 4"));
  CHECK(has(*queue, lost("collector", 0)));
}

TEST_CASE("span exporter: a collector cannot reject more than it got") {
  const auto queue = std::make_shared<SpanQueue>(100);
  Calls calls;
  SpanExporter exporter(
      queue, at_once(),
      [](auto, auto, const auto&) {
        return SpanReply{.result = Result::accepted, .rejected_spans = 1'000'000};
      },
      calls.report());
  queue->push(spans(5));
  CHECK(eventually([&] { return has(*queue, lost("rejected", 5)); }));
}

TEST_CASE("span exporter: a batch that may be accepted later is sent again, and reported once") {
  const auto queue = std::make_shared<SpanQueue>(100);
  Calls calls;
  SpanExporter exporter(
      queue, at_once(),
      [&](auto, auto, const auto&) -> SpanReply {
        if (++calls.sent < 3) return {.result = Result::retry, .reason = "busy"};
        return {.result = Result::accepted};
      },
      calls.report());
  queue->push(spans(5));
  CHECK(eventually([&] { return has(*queue, "fairway_sent_spans_total 5"); }));
  CHECK(eventually([&] { return calls.all_reports() == std::vector<std::string>{"busy", ""}; }));
}

TEST_CASE("span exporter: a single failure, such as of an idle connection, is not reported") {
  const auto queue = std::make_shared<SpanQueue>(100);
  Calls calls;
  SpanExporter exporter(
      queue, at_once(),
      [&](auto, auto, const auto&) -> SpanReply {
        if (++calls.sent < 2) return {.result = Result::retry, .reason = "stale"};
        return {.result = Result::accepted};
      },
      calls.report());
  queue->push(spans(5));
  CHECK(eventually([&] { return has(*queue, "fairway_sent_spans_total 5"); }));
  exporter.stop(1h);
  CHECK(calls.all_reports().empty());
}

TEST_CASE("span exporter: what is rejected is not sent again") {
  const auto queue = std::make_shared<SpanQueue>(100);
  Calls calls;
  SpanExporter exporter(
      queue, at_once(),
      [&](auto, auto, const auto&) {
        ++calls.sent;
        return SpanReply{.result = Result::rejected, .reason = "no"};
      },
      calls.report());
  queue->push(spans(5));
  CHECK(eventually([&] { return has(*queue, lost("rejected", 5)); }));
  exporter.stop(1h);
  CHECK(calls.sent == 1);
}

TEST_CASE("span exporter: a stop sends what waits") {
  const auto queue = std::make_shared<SpanQueue>(10'000);
  Calls calls;
  SpanExporter exporter(
      queue, {.service_name = "test", .interval = 1h},
      [&](auto, auto, const auto&) { return SpanReply{.result = Result::accepted}; },
      calls.report());
  for (int i = 0; i < 300; ++i) queue->push(spans(5));
  exporter.stop(1h);
  CHECK(has(*queue, "fairway_sent_spans_total 1500"));
  queue->push(spans(1));
  CHECK(has(*queue, lost("queue", 1)));
}

TEST_CASE("span exporter: a stop ends a call to a collector that does not respond") {
  const auto queue = std::make_shared<SpanQueue>(10'000);
  Calls calls;
  SpanExporter exporter(
      queue, at_once(),
      [&](auto, auto, const std::stop_token& stop) {
        ++calls.sent;
        while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
        return SpanReply{.result = Result::retry, .reason = "aborted"};
      },
      calls.report());
  queue->push(spans(5));
  CHECK(eventually([&] { return calls.sent == 1; }));
  queue->push(spans(7));
  exporter.stop(20ms);
  CHECK(has(*queue, lost("collector", 12)));
}

TEST_CASE("span exporter: a stop does not wait for the next attempt") {
  const auto queue = std::make_shared<SpanQueue>(10'000);
  Calls calls;
  SpanExporter exporter(
      queue, at_once(),
      [&](auto, auto, const auto&) {
        ++calls.sent;
        return SpanReply{.result = Result::retry, .retry_after = 1h, .reason = "later"};
      },
      calls.report());
  queue->push(spans(5));
  CHECK(eventually([&] { return calls.sent == 1; }));
  exporter.stop(1h);
  CHECK(calls.sent == 2);
  CHECK(has(*queue, lost("collector", 5)));
}

}  // namespace span_exporter_test
