#include "observe/tracer.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

namespace tracer_test {

using fw::detail::Tracer;
using namespace std::chrono_literals;

namespace {

const std::string kCaller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-";

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

}  // namespace tracer_test
