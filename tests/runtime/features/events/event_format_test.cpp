// The bytes of event streams, and how a client splits them.
#include "features/events/event_format.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/event_parser.hpp"

namespace event_format_test {

using fw::base::EventParser;
using fw::base::ParsedEvent;
using fw::detail::format_event;

TEST_CASE("event format: the fields of an event are lines") {
  CHECK(format_event("created", "{}", {}) == "event: created\ndata: {}\n\n");
  CHECK(format_event("created", "{}", {.id = "7", .retry = 1500}) ==
        "event: created\nid: 7\nretry: 1500\ndata: {}\n\n");
  CHECK(format_event("created", "{}", {.id = ""}) == "event: created\nid: \ndata: {}\n\n");
}

TEST_CASE("event format: the name 'message' is the one of events without a name") {
  CHECK(format_event("message", "1", {}) == "data: 1\n\n");
  CHECK(format_event("", "1", {}) == "data: 1\n\n");
}

TEST_CASE("event format: each line of the data has a field") {
  CHECK(format_event("a", "1\n2", {}) == "event: a\ndata: 1\ndata: 2\n\n");
  CHECK(format_event("a", "1\r\n\r2\n", {}) == "event: a\ndata: 1\ndata: \ndata: 2\ndata: \n\n");
  CHECK(format_event("a", "", {}) == "event: a\ndata: \n\n");
}

TEST_CASE("event format: names and ids have one line") {
  for (const std::string text : {"a\nb", "a\rb", "\n"}) {
    CHECK_THROWS_AS(format_event(text, "1", {}), std::invalid_argument);
    CHECK_THROWS_AS(format_event("a", "1", {.id = text}), std::invalid_argument);
  }
  const std::string zero("a\0b", 3);
  CHECK_THROWS_WITH_AS(format_event("a", "1", {.id = zero}),
                       "the id of an event must not contain a line break or NUL",
                       std::invalid_argument);
  CHECK_THROWS_AS(format_event("a", "1", {.retry = -1}), std::invalid_argument);
}

TEST_CASE("event format: a client reads what was written") {
  std::vector<ParsedEvent> events;
  EventParser parser(false);
  const std::string bytes = fw::detail::format_retry(std::chrono::seconds(2)) +
                            format_event("created", "a\nb", {.id = "7"}) +
                            std::string(fw::detail::kEventHeartbeat) + format_event("", "c", {});
  for (const char c : bytes) {
    for (ParsedEvent& event : parser.feed(std::string_view(&c, 1))) {
      events.push_back(std::move(event));
    }
  }
  REQUIRE(events.size() == 2);
  CHECK(events[0].name == "created");
  CHECK(events[0].data == "a\nb");
  CHECK(events[0].id == "7");
  CHECK(events[0].retry == std::chrono::seconds(2));
  CHECK(events[1].name == "message");
  CHECK(events[1].data == "c");
  CHECK(events[1].id == "7");
}

TEST_CASE("event format: the examples of the standard") {
  const auto parse = [](std::string_view bytes) {
    std::string text;
    for (const ParsedEvent& event : EventParser(false).feed(bytes)) {
      text += event.name + "=" + event.data + "(" + event.id + ");";
    }
    return text;
  };
  CHECK(parse("data: YHOO\ndata: +2\ndata: 10\n\n") == "message=YHOO\n+2\n10();");
  CHECK(parse(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\n"
              "data:  third event\n") == "message=first event(1);message=second event();");
  CHECK(parse("data\n\ndata\ndata\n\ndata:") == "message=();message=\n();");
  CHECK(parse("data:test\n\ndata: test\n\n") == "message=test();message=test();");
  CHECK(parse("data: a\r\n\r\ndata: b\r\r") == "message=a();message=b();");
  CHECK(parse("event: x\n\ndata: a\n\n") == "message=a();");
}

}  // namespace event_format_test
