#include "observe/tracer.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <string>
#include <thread>

#include "base/spare_allocator.hpp"
#include "observe/active_span.hpp"

namespace tracer_test {

using fw::detail::CurrentSpanScope;
using fw::detail::RequestTrace;
using fw::detail::SpanPosition;
using fw::detail::Tracer;
using namespace std::chrono_literals;

namespace {

const std::string kCaller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-";

/// Runs `work` in the main span of a trace.
template <class Work>
void run_in_main_span(RequestTrace& trace, const Work& work) {
  trace.allow_main_span(fw::base::TickedTime::now());
  const CurrentSpanScope scope(SpanPosition{.trace = &trace});
  fw::detail::run_in_span("main", work);
}

std::size_t count_sent(const Tracer& tracer) {
  tracer.queue()->close();
  return tracer.queue()->take(100, 1h).size();
}

}  // namespace

TEST_CASE("tracer: a request continues the trace of its caller, and its decision") {
  const Tracer tracer({.ratio = 0});
  const auto sampled = tracer.begin(kCaller + "01", "a=1");
  CHECK(fw::base::to_string(sampled->self()).substr(3, 32) == "0af7651916cd43dd8448eb211c80319c");
  CHECK(sampled->is_sent());
  CHECK(sampled->tracestate() == "a=1");
  CHECK(to_string(sampled->self()).ends_with("-01"));
  CHECK(to_string(sampled->self()).find("b7ad6b7169203331") == std::string::npos);
  const Tracer eager({.ratio = 1});
  const auto unsampled = eager.begin(kCaller + "00", std::nullopt);
  CHECK(!unsampled->is_sent());
  CHECK(to_string(unsampled->self()).ends_with("-00"));
}

TEST_CASE("tracer: a malformed header begins a new trace, without the caller's state") {
  const Tracer tracer({.ratio = 1});
  const auto trace = tracer.begin("00-0-0-01", "a=1");
  CHECK(trace->is_sent());
  CHECK(trace->tracestate().empty());
  CHECK(!trace->own_span().parent.is_set());
}

TEST_CASE("tracer: a share of new traces is sent") {
  const auto share = [](double ratio) {
    const Tracer tracer({.ratio = ratio});
    int sent = 0;
    for (int i = 0; i < 10'000; ++i) sent += tracer.begin()->is_sent() ? 1 : 0;
    return sent;
  };
  CHECK(share(0) == 0);
  CHECK(share(1) == 10'000);
  const int tenth = share(0.1);
  CHECK(tenth > 700);  // ten standard deviations
  CHECK(tenth < 1'300);
}

TEST_CASE("tracer: services with the same ratio decide alike for a trace") {
  const Tracer half({.ratio = 0.5});
  const Tracer most({.ratio = 0.9});
  for (int i = 0; i < 100; ++i) {
    const auto trace = half.begin();
    // The trace is sampled if its random bits are in the upper half.
    const bool is_upper = trace->self().trace.bytes[9] >= 0x80;
    CHECK(trace->is_sent() == is_upper);
    CHECK(trace->self().is_sampled() == is_upper);
  }
}

TEST_CASE("tracer: errors and slow requests are kept, if configured") {
  const Tracer errors({.ratio = 0, .errors = true});
  const auto trace = errors.begin();
  CHECK(trace->is_recorded());
  CHECK(errors.keeps(*trace, 500));
  CHECK(!errors.keeps(*trace, 499));
  CHECK(!errors.is_slow(1h));
  const Tracer slow({.ratio = 0, .errors = false, .slow = 100ms});
  CHECK(slow.is_slow(101ms));
  CHECK(!slow.is_slow(100ms));
  CHECK(!slow.keeps(*slow.begin(), 500));
  CHECK(slow.may_keep(*slow.begin(), 200));
  CHECK(!errors.may_keep(*trace, 499));
  CHECK(errors.may_keep(*trace, 500));
  const Tracer none({.ratio = 0, .errors = false});
  CHECK(!none.begin()->is_recorded());
  CHECK(!none.keeps(*none.begin(), 500));
  CHECK(!none.may_keep(*none.begin(), 500));
}

TEST_CASE("tracer: a new trace in the memory of another one has nothing of it") {
  const Tracer tracer({.ratio = 0});
  std::string former;
  {
    auto trace = tracer.begin(kCaller + "01", "a=1");
    former = to_string(trace->self());
    run_in_main_span(*trace, [&] {
      const auto other = trace->share();
      other->add(other->new_span(RequestTrace::kOwnSpan));
    });
    // The last of several owners returns the memory to the thread.
    const auto last = trace->share();
    trace = {};
  }
  const auto trace = tracer.begin_in_spare();
  REQUIRE(static_cast<bool>(trace) == fw::base::kKeepsSpares);
  if (!trace) return;
  CHECK(to_string(trace->self()) != former);
  CHECK(to_string(trace->self()).ends_with("-02"));
  CHECK(!trace->parent().is_set());
  CHECK(trace->tracestate().empty());
  CHECK(trace->is_recorded());
  CHECK(!trace->is_sent());
  CHECK(trace->new_span_number() == RequestTrace::kMainSpan + 1);
  trace->end(trace->own_span());
  CHECK(count_sent(tracer) == 1);
}

TEST_CASE("tracer: memory that two threads release at once has one owner again") {
  const Tracer tracer({.ratio = 1});
  std::array<fw::detail::SharedTrace, 2> owners;
  std::barrier step(2);
  std::atomic<int> main_spans = 0;
  constexpr int kRounds = 2'000;
  const auto run = [&](std::size_t number) {
    for (int round = 0; round < kRounds; ++round) {
      if (number == 0) owners[0] = owners[1] = tracer.begin();
      step.arrive_and_wait();
      owners[number] = {};
      const auto next = tracer.begin();
      run_in_main_span(*next, [&] {  // only with one owner
        if (fw::detail::current_span()->span == RequestTrace::kMainSpan) ++main_spans;
      });
      step.arrive_and_wait();
    }
  };
  std::thread other(run, 1);
  run(0);
  other.join();
  CHECK(main_spans.load() == 2 * kRounds);
}

TEST_CASE("tracer: the memory of a trace of another tracer is not taken without its queue") {
  const Tracer one({.ratio = 1});
  const Tracer other({.ratio = 1});
  one.begin();
  CHECK(!other.begin_in_spare());
  const auto trace = other.begin();
  trace->end(trace->own_span());
  CHECK(count_sent(one) == 0);
  CHECK(count_sent(other) == 1);
}

}  // namespace tracer_test
