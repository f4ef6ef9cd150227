// Spans of the application, and of its calls to other services.
#include <fairway/future.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/collector.hpp"
#include "support/table_builder.hpp"
#include "support/traced.hpp"

namespace tracing_calls_test {

namespace {

using fw::Json;
using fw::support::children;
using fw::support::CollectedSpan;
using fw::support::kCaller;
using fw::support::kSampled;
using fw::support::kTrace;
using fw::support::kUnsampled;
using fw::support::named;
using fw::support::OneFileApp;
using fw::support::ScriptedConnection;
using fw::support::ScriptedUpstream;
using fw::support::Shared;
using fw::support::Traced;
using fw::support::traced;
using fw::support::traceparent_in;
using namespace std::chrono_literals;

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("tracing: spans of the application are nested, with attributes and errors") {
  Traced traced([](fw::Router& router) {
    router.get("/", [](fw::Request& req, fw::Response& res) {
      auto price = req.span("price");
      price.set("items", 3);
      price.set("exact", true);
      price.set("factor", 1.5);
      price.set("currency", "EUR");
      {
        const auto inner = fw::span("look up");
      }
      try {
        const auto failing = req.span("declined");
        throw std::runtime_error("no");
      } catch (const std::runtime_error&) {
      }
      price.end();
      auto last = req.span("last");
      last.fail("full");
      res.json(1);
    });
  });
  traced.get("/");
  const auto spans = traced.collector.await(6);
  const CollectedSpan& handler = named(spans, "handler");
  CHECK(children(spans, handler) == Names{"price", "last"});
  const CollectedSpan& price = named(spans, "price");
  CHECK(price.kind == 1);
  CHECK(!price.has_failed);
  CHECK(price.attributes ==
        Json{{"items", 3}, {"exact", true}, {"factor", 1.5}, {"currency", "EUR"}});
  CHECK(children(spans, price) == Names{"look up", "declined"});
  CHECK(named(spans, "declined").has_failed);
  CHECK(named(spans, "last").has_failed);
  CHECK(named(spans, "last").attributes["error.type"] == "full");
}

TEST_CASE("tracing: work on other threads belongs to the span that has begun it") {
  const auto work = [](std::string_view name) {
    const auto span = fw::span(name);
    return 1;
  };
  Traced traced([&](fw::Router& router) {
    router.get("/", [&](fw::Request& req, fw::Response& res) {
      const auto all = req.span("all");
      fw::all([&] { return work("one"); }, [&] { return work("two"); });
      fw::Future<int> later([&] { return work("three"); });
      res.json(later.get());
    });
  });
  traced.get("/");
  const auto spans = traced.collector.await(6);
  auto names = children(spans, named(spans, "all"));
  std::ranges::sort(names);
  CHECK(names == Names{"one", "three", "two"});
}

TEST_CASE("tracing: a span that ends inside fw::all is the parent of nothing that comes later") {
  const auto work = [](std::string_view name) {
    const auto span = fw::span(name);
    return 1;
  };
  Traced traced([&](fw::Router& router) {
    router.get("/", [&](fw::Request& req, fw::Response& res) {
      auto first = req.span("first function");
      fw::all(
          [&] {
            first.end();
            return work("after the end");
          },
          [&] { return work("other"); });
      work("next");
      res.json(1);
    });
  });
  traced.get("/");
  const auto spans = traced.collector.await(6);
  CHECK(children(spans, named(spans, "handler")) == Names{"first function", "next"});
  auto names = children(spans, named(spans, "first function"));
  std::ranges::sort(names);
  CHECK(names == Names{"after the end", "other"});
}

TEST_CASE("tracing: a span outside of a request, or without tracing, does nothing") {
  auto outside = fw::span("outside");
  outside.set("n", 1);
  OneFileApp app([](fw::Router& router) {
    router.get("/", [](fw::Request& req, fw::Response& res) {
      auto span = req.span("price");
      span.set("n", 1);
      span.fail("full");
      res.json(1);
    });
  });
  CHECK(app.request("GET", "/").send() == 200);
}

TEST_CASE("tracing: a handler has the headers for clients that are not the framework's") {
  using Headers = std::vector<std::pair<std::string, std::string>>;
  CHECK(fw::trace_headers().empty());
  Shared<std::vector<Headers>> seen;
  const auto routes = [&](fw::Router& router) {
    router.get("/", [&](fw::Request& req, fw::Response& res) {
      const auto note = [&] { seen.update([](auto& all) { all.push_back(fw::trace_headers()); }); };
      note();
      const auto span = req.span("order");
      note();
      fw::all(note, [] {});
      res.json(1);
    });
  };
  Traced traced(routes);
  const auto send = [&](const std::string& parent) {
    return traced.app.request("GET", "/")
        .header("traceparent", parent)
        .header("tracestate", "vendor=1")
        .send();
  };
  CHECK(send(kSampled) == 200);
  const auto spans = traced.collector.await(3);
  const auto within = [&](const std::string& name) {
    const std::string parent = "00-" + kTrace + "-" + named(spans, name).id + "-01";
    return Headers{{"traceparent", parent}, {"tracestate", "vendor=1"}};
  };
  CHECK(seen.get() == std::vector{within("handler"), within("order"), within("order")});
  CHECK(send(kUnsampled) == 200);
  CHECK(seen.get().back()[0].second.ends_with("-00"));
  CHECK(seen.get().back()[0].second.starts_with("00-" + kTrace + "-"));

  seen.update([](auto& all) { all.clear(); });
  CHECK(OneFileApp(routes).request("GET", "/").header("traceparent", kSampled).send() == 200);
  CHECK(seen.get() == std::vector<Headers>(3));
}

TEST_CASE("tracing: each attempt of a call has a span, and sends its own traceparent") {
  Shared<std::vector<std::string>> seen;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    for (std::string text; !(text = connection.read_request()).empty();) {
      seen.update([&](auto& all) { all.push_back(traceparent_in(text)); });
      connection.respond(seen.get().size() < 3 ? 503 : 200, "x");
    }
  });
  Traced traced([&](fw::Router& router) {
    router.get("/", [&](fw::Request&, fw::Response& res) {
      res.text(router.fetch.get(upstream.url(), {.retry = 2, .retry_delay = 1}).text());
    });
  });
  CHECK(traced.get("/", kSampled) == 200);
  const auto spans = traced.collector.await(5);
  const auto all = seen.get();
  REQUIRE(all.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto span = std::ranges::find_if(spans, [&](const CollectedSpan& each) {
      return all[i] == "00-" + kTrace + "-" + each.id + "-01";
    });
    REQUIRE(span != spans.end());
    CHECK(span->name == "GET");
    CHECK(span->has_failed == (i < 2));
    CHECK(span->attributes.contains("http.request.resend_count") == (i > 0));
  }
}

TEST_CASE("tracing: a traceparent that the application sets is kept") {
  Shared<std::vector<std::string>> seen;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    for (std::string text; !(text = connection.read_request()).empty();) {
      seen.update([&](auto& all) { all.push_back(traceparent_in(text)); });
      connection.respond(200, "x");
    }
  });
  Traced traced([&](fw::Router& router) {
    router.get("/", [&](fw::Request&, fw::Response& res) {
      res.text(router.fetch.get(upstream.url(), {.headers = {{"traceparent", kUnsampled}}}).text());
    });
  });
  CHECK(traced.get("/") == 200);
  CHECK(seen.get() == std::vector{kUnsampled});
}

TEST_CASE("tracing: a failing call is a failed span") {
  Traced traced([](fw::Router& router) {
    router.get("/", [&](fw::Request&, fw::Response& res) {
      try {
        router.fetch.get("http://127.0.0.1:1/");
      } catch (const fw::NetworkError&) {
      }
      res.json(1);
    });
  });
  CHECK(traced.get("/") == 200);
  const CollectedSpan call = traced.collector.await_named("GET");
  CHECK(call.has_failed);
  CHECK(call.attributes["error.type"] == "network");
}

TEST_CASE(
    "tracing: a call with a method of its own, to an address of IPv6, is named by convention") {
  Traced traced([](fw::Router& router) {
    router.get("/", [&](fw::Request&, fw::Response& res) {
      try {
        router.fetch("http://[::1]:1/", {.method = "PURGE"});
      } catch (const fw::NetworkError&) {
      }
      res.json(1);
    });
  });
  CHECK(traced.get("/") == 200);
  const CollectedSpan call = traced.collector.await_named("HTTP");
  CHECK(call.attributes["http.request.method"] == "_OTHER");
  CHECK(call.attributes["http.request.method_original"] == "PURGE");
  CHECK(call.attributes["server.address"] == "::1");
  CHECK(call.attributes["server.port"] == 1);
}

TEST_CASE("tracing: the proxy sends its own traceparent instead of the client's") {
  Shared<std::vector<std::string>> seen;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    for (std::string text; !(text = connection.read_request()).empty();) {
      seen.update([&](auto& all) { all.push_back(traceparent_in(text)); });
      connection.respond(200, "passed on");
    }
  });
  using Fields = std::vector<std::string>;
  for (const Fields& forwarded : {Fields{}, Fields{"traceparent", "tracestate"}}) {
    for (const std::string& parent : {std::string(), kSampled}) {
      CAPTURE(forwarded.size());
      CAPTURE(parent);
      seen.update([](auto& all) { all.clear(); });
      Traced traced(
          [](fw::Router& router) {
            router.get("/a", [&](fw::Request& req, fw::Response& res) {
              router.fetch.proxy["up"](req, res, {.path = "/"});
            });
          },
          [&](fw::Config& config) {
            config.fetch.proxy = {
                {.name = "up", .base_url = upstream.url(""), .forward_headers = forwarded}};
          });
      CHECK(traced.get("/a", parent) == 200);
      const auto spans = traced.collector.await(3);
      const CollectedSpan& call = named(spans, "GET");
      // The id of a new trace is random, which level 2 says by a flag.
      const char* const flags = parent.empty() ? "-03" : "-01";
      CHECK(seen.get() == std::vector{"00-" + call.trace + "-" + call.id + flags});
      CHECK(call.parent == named(spans, "handler").id);
      // The span of the request ends with the body.
      CHECK(named(spans, "GET /a").parent == (parent.empty() ? "" : kCaller));
      CHECK((call.trace == kTrace) == !parent.empty());
    }
  }
}

}  // namespace tracing_calls_test
