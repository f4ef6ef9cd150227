#include "observe/request_trace.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "observe/active_span.hpp"
#include "observe/batch_records.hpp"

namespace request_trace_test {

using fw::detail::ActiveSpan;
using fw::detail::CurrentSpanScope;
using fw::detail::RequestTrace;
using fw::detail::SpanPosition;
using fw::detail::SpanQueue;
using fw::detail::SpanRecord;
using namespace std::chrono_literals;

namespace {

struct Traced {
  explicit Traced(RequestTrace::Recording recording, std::size_t queue_size = 10'000)
      : queue(std::make_shared<SpanQueue>(queue_size)),
        trace(RequestTrace::begin(queue, fw::base::make_traceparent(), fw::base::SpanId(), "",
                                  recording)) {}

  void add(const std::string& name) const {
    auto span = trace->new_span(RequestTrace::kOwnSpan);
    span->rename(name);
    trace->add(std::move(span));
  }
  /// About 33 KB.
  void add_large() const {
    auto span = trace->new_span(RequestTrace::kOwnSpan);
    span->rename("large");
    for (int k = 0; k < 32; ++k) span->set("k" + std::to_string(k), std::string(1'024, 'x'));
    trace->add(std::move(span));
  }
  void end() const { trace->end(trace->own_span()); }
  SpanPosition root() const { return {.trace = trace.get()}; }
  /// What was sent, without waiting.
  std::vector<SpanRecord> sent() const {
    queue->close();
    std::vector<SpanRecord> all;
    for (auto batch = queue->take(100, 1h); !batch.empty(); batch = queue->take(100, 1h)) {
      const auto spans = records_of(batch);
      all.insert(all.end(), spans.begin(), spans.end());
    }
    return all;
  }
  std::string lost() const {
    fw::detail::Exposition text(fw::detail::Exposition::Format::prometheus);
    queue->write(text);
    return text.finish();
  }

  std::shared_ptr<SpanQueue> queue;
  fw::detail::SharedTrace trace;
};

constexpr auto kForGood = RequestTrace::Recording::for_good;
constexpr auto kForNow = RequestTrace::Recording::for_now;

}  // namespace

TEST_CASE("request trace: its spans are sent together at its end, and it ends once") {
  const Traced traced(kForGood);
  traced.add("one");
  traced.end();
  traced.end();
  traced.add("late");
  const auto sent = traced.sent();
  REQUIRE(sent.size() == 3);
  CHECK(sent[0].name == "one");
  CHECK(sent[1].id == traced.trace->self().span);
  CHECK(sent[2].name == "late");
}

TEST_CASE("request trace: a record that the queue makes has what the trace has recorded") {
  for (const bool has_more : {false, true}) {
    const Traced traced(kForNow);
    const auto own_id = traced.trace->self().span;
    const auto begin = SpanRecord::Clock::now();
    traced.trace->add({.name = "plain",
                       .id = traced.trace->id_of(traced.trace->new_span_number()),
                       .parent = own_id,
                       .has_failed = true,
                       .begin = begin,
                       .end = begin + 1ms});
    if (has_more) traced.trace->add_event({.name = "event"});
    fw::detail::RequestSpan own = traced.trace->own_span();
    own.begin = begin;
    own.end = begin + 2ms;
    own.kind.status = 201;
    own.path = "/path";
    own.client = "client";
    traced.trace->end(own);
    const auto sent = traced.sent();
    REQUIRE(sent.size() == 2);
    CHECK(sent[0].name == "plain");
    CHECK(sent[0].trace == traced.trace->self().trace);
    CHECK(sent[0].id != own_id);
    CHECK(sent[0].parent == own_id);
    CHECK(sent[0].has_failed);
    CHECK(sent[0].kind == fw::detail::SpanKind::internal);
    CHECK(sent[0].begin == begin);
    CHECK(sent[0].end == begin + 1ms);
    CHECK(sent[0].to_unix_time.count() > 0);
    CHECK(sent[1].trace == traced.trace->self().trace);
    CHECK(sent[1].id == own_id);
    CHECK(sent[1].kind == fw::detail::SpanKind::server);
    CHECK(sent[1].end == begin + 2ms);
    CHECK(sent[1].to_unix_time == sent[0].to_unix_time);
    REQUIRE(sent[1].request);
    CHECK(sent[1].request->kind.status == 201);
    CHECK(sent[1].request->path == "/path");
    CHECK(sent[1].request->client == "client");
    CHECK(sent[1].events.size() == (has_more ? 1 : 0));
  }
}

TEST_CASE("request trace: records that the queue makes are sent in the order of their requests") {
  const auto queue = std::make_shared<SpanQueue>(1'000);
  std::vector<fw::base::SpanId> ids;
  for (int i = 0; i < 200; ++i) {
    const auto trace = RequestTrace::begin(queue, fw::base::make_traceparent(), {}, "", kForGood);
    for (int k = 0; k < i % 3; ++k) {
      trace->add({.name = "plain",
                  .id = trace->id_of(trace->new_span_number()),
                  .parent = trace->self().span,
                  .begin = {},
                  .end = {}});
      ids.push_back(trace->self().span);
    }
    trace->end(trace->own_span());
    ids.push_back(trace->self().span);
  }
  queue->close();
  std::vector<SpanRecord> sent;
  for (auto batch = queue->take(100, 1h); !batch.empty(); batch = queue->take(100, 1h)) {
    CHECK(batch.size() < 300);
    const auto spans = records_of(batch);
    sent.insert(sent.end(), spans.begin(), spans.end());
  }
  REQUIRE(sent.size() == ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    CHECK((sent[i].parent.is_set() ? sent[i].parent : sent[i].id) == ids[i]);
  }
}

TEST_CASE("request trace: a trace that is dropped sends nothing, neither then nor later") {
  const Traced traced(kForNow);
  traced.add("one");
  traced.trace->drop();
  traced.add("late");
  traced.end();
  CHECK(traced.sent().empty());
}

TEST_CASE("request trace: the span of the request has the events, up to a bound") {
  const Traced traced(kForNow);
  for (int i = 0; i < 100; ++i) traced.trace->add_event({.name = std::to_string(i)});
  traced.add("inner");
  traced.end();
  traced.trace->add_event({.name = "late"});
  const auto sent = traced.sent();
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].events.empty());
  REQUIRE(sent[1].events.size() == 64);
  CHECK(sent[1].events.back().name == "63");
  CHECK(sent[1].dropped_events == 36);
}

TEST_CASE("request trace: large events count by their bytes") {
  const Traced traced(kForGood);
  for (int i = 0; i < 10; ++i) {
    fw::detail::SpanEvent event{.name = "large"};
    for (int k = 0; k < 32; ++k) event.set("k" + std::to_string(k), std::string(1'024, 'x'));
    event.set("one more", true);
    CHECK(event.dropped_attributes == 1);
    traced.trace->add_event(std::move(event));
  }
  traced.end();
  const auto sent = traced.sent();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].events.size() == 1);
  CHECK(sent[0].dropped_events == 9);
}

TEST_CASE("request trace: the spans of a request have a bound") {
  const Traced traced(kForNow);
  for (int i = 0; i < 1'000; ++i) traced.add("many");
  traced.end();
  CHECK(traced.lost().find("fairway_lost_spans_total{cause=\"request\"} 872\n") !=
        std::string::npos);
  CHECK(traced.sent().size() == 129);
}

TEST_CASE("request trace: large spans count by their bytes") {
  const Traced traced(kForNow);
  for (int i = 0; i < 100; ++i) traced.add_large();
  traced.add("small");
  traced.end();
  const auto sent = traced.sent();
  CHECK(sent.size() < 12);
  // What is too large for the rest leaves it to others.
  REQUIRE(sent.size() > 2);
  CHECK(sent[sent.size() - 2].name == "small");
}

TEST_CASE("request trace: large spans of a request that is sent are sent before its end") {
  const Traced traced(kForGood);
  for (int i = 0; i < 100; ++i) traced.add_large();
  traced.end();
  CHECK(traced.sent().size() == 101);
}

TEST_CASE("request trace: after a flush, only the span of the request waits for its end") {
  for (const auto recording : {kForNow, kForGood}) {
    const Traced traced(recording);
    traced.add("one");
    traced.trace->flush();
    CHECK(traced.queue->take(1, 1h).size() == 1);
    traced.add("two");
    CHECK(traced.queue->take(1, 1h).size() == 1);
    traced.end();
    const auto sent = traced.sent();
    REQUIRE(sent.size() == 1);
    CHECK(sent[0].id == traced.trace->self().span);
  }
}

TEST_CASE("request trace: one that takes the memory of another has nothing of it") {
  const auto queue = std::make_shared<SpanQueue>(1'000);
  for (const auto recording : {kForNow, kForGood, kForNow}) {
    auto trace = RequestTrace::begin(queue, fw::base::make_traceparent(), {}, "a=1", recording);
    for (int i = 0; i < 200; ++i) trace->add(trace->new_span(RequestTrace::kOwnSpan));
    for (int i = 0; i < 100; ++i) trace->add_event({.name = "event"});
  }
  queue->close();
  const std::size_t before = queue->take(1'000, 1h).size();
  Traced traced(kForNow);
  traced.add("one");
  traced.end();
  const auto sent = traced.sent();
  CHECK(before < 200);
  REQUIRE(sent.size() == 2);
  CHECK(sent[1].events.empty());
  CHECK(sent[1].dropped_events == 0);
  CHECK(sent[1].tracestate.empty());
  CHECK(traced.lost().find("cause=\"request\"} 0\n") != std::string::npos);
}

TEST_CASE("request trace: spans of a long request are sent before its end") {
  const Traced traced(kForGood);
  for (int i = 0; i < 1'000; ++i) traced.add("many");
  CHECK(traced.sent().size() >= 900);
}

TEST_CASE("request trace: threads add spans while it ends") {
  const Traced traced(kForGood, 1'000'000);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 1'000; ++k) traced.add("one");
    });
  }
  traced.end();
  for (std::thread& thread : threads) thread.join();
  CHECK(traced.sent().size() == 4'001);
}

TEST_CASE("request trace: the queue keeps paths of any length") {
  const auto queue = std::make_shared<SpanQueue>(1'000);
  const auto path_of = [](std::size_t i) { return std::string(i * 37 % 5'000, 'x') + "/end"; };
  for (std::size_t i = 0; i < 200; ++i) {
    const auto trace = RequestTrace::begin(queue, fw::base::make_traceparent(), {}, "", kForGood);
    const std::string path = path_of(i);
    const std::string client = std::to_string(i);
    fw::detail::RequestSpan own = trace->own_span();
    own.path = path;
    own.client = client;
    trace->end(own);
  }
  queue->close();
  std::size_t count = 0;
  for (auto batch = queue->take(100, 1h); !batch.empty(); batch = queue->take(100, 1h)) {
    for (const SpanRecord& span : records_of(batch)) {
      REQUIRE(span.request);
      CHECK(span.request->path == path_of(count));
      CHECK(span.request->client == std::to_string(count));
      ++count;
    }
  }
  CHECK(count == 200);
}

TEST_CASE("main span: it is sent with its times, and is the parent of spans within it") {
  for (const bool is_plain : {false, true}) {
    const Traced traced(kForNow);
    const auto begin = SpanRecord::Clock::now();
    traced.trace->allow_main_span({begin, fw::base::ticks()});
    {
      const CurrentSpanScope scope(traced.root());
      fw::detail::run_in_span("main", [&] {
        const ActiveSpan inner("inner");
        if (!is_plain) traced.add("record");
      });
      CHECK(fw::detail::current_span()->id() == traced.root().id());
    }
    traced.end();
    const auto end = SpanRecord::Clock::now();
    const auto sent = traced.sent();
    REQUIRE(sent.size() == (is_plain ? 3 : 4));
    const auto named = [&](std::string_view name) {
      return *std::ranges::find(sent, name, &SpanRecord::name);
    };
    CHECK(named("main").parent == traced.root().id());
    CHECK(named("inner").parent == named("main").id);
    CHECK(named("inner").id != named("main").id);
    CHECK(named("main").trace == traced.trace->self().trace);
    CHECK(!named("main").has_failed);
    CHECK(named("main").begin >= begin);
    CHECK(named("main").begin <= named("main").end);
    CHECK(named("main").end <= end);
    CHECK(named("main").to_unix_time.count() > 0);
  }
}

TEST_CASE("main span: an exception that leaves it marks it as failed") {
  const Traced traced(kForNow);
  traced.trace->allow_main_span(fw::base::TickedTime::now());
  const CurrentSpanScope scope(traced.root());
  CHECK_THROWS_AS(fw::detail::run_in_span("main", [] { throw 1; }), int);
  CHECK(fw::detail::current_span()->id() == traced.root().id());
  traced.end();
  const auto sent = traced.sent();
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].name == "main");
  CHECK(sent[0].has_failed);
}

TEST_CASE("main span: there is one, and others are sent as well") {
  const Traced traced(kForNow);
  const CurrentSpanScope scope(traced.root());
  fw::detail::run_in_span("before", [] {});
  traced.trace->allow_main_span(fw::base::TickedTime::now());
  fw::detail::run_in_span("main", [] { fw::detail::run_in_span("within", [] {}); });
  fw::detail::run_in_span("after", [] {});
  traced.end();
  const auto sent = traced.sent();
  std::vector<std::string> names;
  std::vector<fw::base::SpanId> ids;
  for (const SpanRecord& span : sent) {
    names.push_back(span.name);
    CHECK(std::ranges::find(ids, span.id) == ids.end());
    ids.push_back(span.id);
  }
  CHECK(names == std::vector<std::string>{"before", "within", "after", "main", ""});
}

TEST_CASE("main span: within another span, which may end first, it is not the main one") {
  const Traced traced(kForNow);
  traced.trace->allow_main_span(fw::base::TickedTime::now());
  fw::base::SpanId outer_id;
  {
    const CurrentSpanScope scope(traced.root());
    std::optional<ActiveSpan> outer(std::in_place, fw::detail::SpanName("outer"));
    outer_id = outer->id();
    fw::detail::run_in_span("handler", [&] { outer.reset(); });
    CHECK(fw::detail::current_span()->id() == traced.root().id());
  }
  traced.end();
  const auto sent = traced.sent();
  REQUIRE(sent.size() == 3);
  CHECK(sent[0].name == "outer");
  CHECK(sent[1].name == "handler");
  CHECK(sent[1].parent == outer_id);
}

TEST_CASE("main span: a position that is kept while it lasts is within it") {
  const Traced traced(kForNow);
  traced.trace->allow_main_span(fw::base::TickedTime::now());
  fw::detail::KeptPosition kept;
  {
    const CurrentSpanScope scope(traced.root());
    fw::detail::run_in_span("main",
                            [&] { kept = fw::detail::KeptPosition(fw::detail::current_span()); });
  }
  traced.end();
  const auto sent = traced.sent();
  REQUIRE(sent.size() == 2);
  const auto main = std::ranges::find(sent, "main", &SpanRecord::name);
  REQUIRE(main != sent.end());
  CHECK(kept.get().id() == main->id);
}

TEST_CASE("main span: a trace that is not recorded has none") {
  const Traced traced(RequestTrace::Recording::none);
  traced.trace->allow_main_span(fw::base::TickedTime::now());
  {
    const CurrentSpanScope scope(traced.root());
    fw::detail::run_in_span("main", [] {});
  }
  traced.end();
  CHECK(traced.sent().size() == 1);  // the span of the request
}

TEST_CASE("main span: one that another thread can see is sent, whoever ends the trace first") {
  for (const bool is_shared_before : {false, true}) {
    for (const bool ends_late : {false, true}) {
      const Traced traced(kForNow);
      traced.trace->allow_main_span(fw::base::TickedTime::now());
      fw::detail::SharedTrace other;
      if (is_shared_before) other = traced.trace->share();
      {
        const CurrentSpanScope scope(traced.root());
        fw::detail::run_in_span("main", [&] {
          if (!is_shared_before) other = traced.trace->share();
          if (ends_late) std::thread([&] { other->end(other->own_span()); }).join();
        });
      }
      if (!ends_late) std::thread([&] { other->end(other->own_span()); }).join();
      const auto sent = traced.sent();
      REQUIRE(sent.size() == 2);
      const auto main = std::ranges::find(sent, "main", &SpanRecord::name);
      REQUIRE(main != sent.end());
      CHECK(main->parent == traced.root().id());
    }
  }
}

TEST_CASE("main span: threads add spans while the owner runs it") {
  const Traced traced(kForGood, 1'000'000);
  traced.trace->allow_main_span(fw::base::TickedTime::now());
  std::vector<std::thread> threads;
  {
    const CurrentSpanScope scope(traced.root());
    fw::detail::run_in_span("main", [&] {
      for (int i = 0; i < 4; ++i) {
        threads.emplace_back([shared = traced.trace->share()] {
          for (int k = 0; k < 500; ++k) shared->add(shared->new_span(RequestTrace::kOwnSpan));
        });
      }
    });
  }
  traced.end();
  for (std::thread& thread : threads) thread.join();
  const auto sent = traced.sent();
  CHECK(sent.size() == 2'002);
  CHECK(std::ranges::count(sent, "main", &SpanRecord::name) == 1);
}

TEST_CASE("main span: it is not sent if its trace is dropped, nor with the next trace") {
  const auto queue = std::make_shared<SpanQueue>(10);
  for (const bool is_dropped : {true, false}) {
    const auto trace = RequestTrace::begin(queue, fw::base::make_traceparent(), {}, "", kForNow);
    if (is_dropped) trace->allow_main_span(fw::base::TickedTime::now());
    if (is_dropped) {
      const CurrentSpanScope scope(SpanPosition{.trace = trace.get()});
      fw::detail::run_in_span("main", [] {});
      trace->drop();
    }
    trace->end(trace->own_span());
  }
  queue->close();
  CHECK(queue->take(10, 1h).size() == 1);
}

TEST_CASE("active span: the parent is the span that is current when it begins") {
  const Traced traced(kForGood);
  const SpanPosition root{.trace = traced.trace.get()};
  {
    const CurrentSpanScope scope(&root);
    ActiveSpan outer("outer");
    ActiveSpan inner("inner");
    outer.end();
    {
      const ActiveSpan innermost("innermost");
    }
    inner.end();
    {
      const ActiveSpan next("next");
    }
    {
      ActiveSpan("discarded").discard();
    }
    CHECK(fw::detail::current_span()->id() == root.id());
  }
  CHECK(fw::detail::t_current_span == nullptr);
  traced.end();
  const auto sent = traced.sent();
  REQUIRE(sent.size() == 5);  // in the order in which they have ended
  CHECK(sent[0].name == "outer");
  CHECK(sent[0].parent == root.id());
  CHECK(sent[1].name == "innermost");
  CHECK(sent[1].parent == sent[2].id);
  CHECK(sent[2].name == "inner");
  CHECK(sent[2].parent == sent[0].id);
  CHECK(sent[3].name == "next");
  CHECK(sent[3].parent == root.id());
}

TEST_CASE("active span: those that find no place in the trace are sent as well") {
  for (const auto recording : {kForNow, kForGood}) {
    const Traced traced(recording);
    const SpanPosition root{.trace = traced.trace.get()};
    {
      const CurrentSpanScope scope(&root);
      for (int i = 0; i < 20; ++i) const ActiveSpan span("one");
    }
    traced.end();
    const auto sent = traced.sent();
    REQUIRE(sent.size() == 21);
    for (std::size_t i = 0; i < 20; ++i) {
      CHECK(sent[i].name == "one");
      CHECK(sent[i].parent == root.id());
      CHECK(sent[i].id != sent[(i + 1) % 20].id);
    }
  }
}

TEST_CASE("active span: one that ends within a scope of its position is not current after it") {
  const Traced traced(kForGood);
  const SpanPosition root{.trace = traced.trace.get()};
  const CurrentSpanScope scope(&root);
  std::optional<ActiveSpan> outer(std::in_place, fw::detail::SpanName("outer"));
  const auto outer_id = outer->id();
  {
    const CurrentSpanScope same(fw::detail::current_span());
    outer->end();
    CHECK(fw::detail::current_span()->id() == outer_id);
  }
  CHECK(fw::detail::current_span()->id() == root.id());
}

TEST_CASE("active span: one of the application may outlive its request") {
  const auto queue = std::make_shared<SpanQueue>(10);
  std::optional<ActiveSpan> late;
  {
    const auto trace = RequestTrace::begin(queue, fw::base::make_traceparent(), {}, "", kForGood);
    late.emplace(SpanPosition{.trace = trace.get()}, "late");
    trace->end(trace->own_span());
  }
  const Traced other(kForGood);
  late->end();
  CHECK(queue->take(2, 1h).size() == 2);
  CHECK(fw::detail::t_current_span == nullptr);
  other.end();
  CHECK(other.sent().size() == 1);
}

TEST_CASE("active span: in a scope without a position, nothing is recorded") {
  const Traced traced(kForGood);
  const SpanPosition root{.trace = traced.trace.get()};
  {
    const CurrentSpanScope scope(&root);
    {
      const ActiveSpan outer("outer");
      const CurrentSpanScope none(nullptr);
      const ActiveSpan inner("inner");
      fw::detail::add_past_span("past", SpanRecord::Clock::now(), SpanRecord::Clock::now());
      CHECK(fw::detail::current_span() == nullptr);
    }
    CHECK(fw::detail::current_span()->id() == root.id());
  }
  traced.end();
  const auto sent = traced.sent();
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].name == "outer");
}

TEST_CASE("active span: an exception that leaves it marks it as failed, one within does not") {
  const Traced traced(kForGood);
  const SpanPosition root{.trace = traced.trace.get()};
  {
    const CurrentSpanScope scope(&root);
    const ActiveSpan outer("outer");
    try {
      const ActiveSpan inner("inner");
      throw 1;
    } catch (int) {
    }
  }
  traced.end();
  const auto sent = traced.sent();
  REQUIRE(sent.size() == 3);
  CHECK(sent[0].name == "inner");
  CHECK(sent[0].has_failed);
  CHECK(sent[1].name == "outer");
  CHECK(!sent[1].has_failed);
}

TEST_CASE("span record: names, attributes and texts have a bound, and texts stay UTF-8") {
  SpanRecord span;
  span.rename(std::string(200, 'n'));
  CHECK(span.name.size() == 128);
  span.set("text", std::string(1'023, 'x') + "\xc3\xa4");
  const auto first = [&] {
    std::optional<fw::detail::SpanValue> found;
    span.attributes.for_each([&](std::string_view name, const fw::detail::SpanValue& value) {
      CHECK(name == "text");
      found = value;
    });
    return found.value();
  };
  CHECK(std::get<std::string_view>(first()) == std::string(1'023, 'x'));
  span.set("text", std::int64_t{7});
  REQUIRE(span.attributes.size() == 1);
  CHECK(std::get<std::int64_t>(first()) == 7);
  for (int i = 0; i < 50; ++i) span.set("k" + std::to_string(i), true);
  CHECK(span.attributes.size() == 32);
  CHECK(span.dropped_attributes == 19);
}

}  // namespace request_trace_test
