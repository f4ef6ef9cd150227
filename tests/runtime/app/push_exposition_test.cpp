#include <fairway/events.hpp>
#include <fairway/sockets.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "app/access.hpp"
#include "app/admin_pages.hpp"
#include "app/app_core.hpp"
#include "eventually.hpp"
#include "observe/exposition.hpp"
#include "support/listed_metrics.hpp"
#include "support/table_builder.hpp"

namespace push_exposition_test {

namespace {

using fairway::test::eventually;
using fw::support::OneFileApp;

std::string figures(OneFileApp& app) {
  fw::detail::Exposition text(fw::detail::Exposition::Format::prometheus);
  const auto& core = fw::detail::Access::core(app.app());
  fw::detail::write_push_figures(text, core.pipeline().routes());
  const std::string written = text.finish();
  CHECK(fw::support::unlisted_metrics(written) == "");
  return "\n" + written;
}

bool has(OneFileApp& app, const std::string& line) {
  return figures(app).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("push figures: an application without streams and sockets has none") {
  OneFileApp app([](fw::Router& router) {
    router.get("/", [](fw::Request&, fw::Response& res) { res.json(1); });
  });
  CHECK(figures(app) == "\n");
}

TEST_CASE("push figures: open streams, their events and what was dropped are counted by route") {
  std::vector<fw::EventStream> streams;
  OneFileApp app([&](fw::Router& router) {
    router.get("/live/:room",
               {.responses = {{"200", fw::events({{"tick", {{"n", "integer"}}}})}},
                .events = {.queue = "1kb", .overflow = "drop_oldest"}},
               [&](fw::Request&, fw::Response& res) { streams.push_back(res.events()); });
  });
  const std::string route = R"({http_route="/live/:room"} )";
  CHECK(has(app, "fairway_open_streams" + route + "0"));
  auto first = app.events("/live/a");
  auto second = app.events("/live/b");
  CHECK(has(app, "fairway_open_streams" + route + "2"));
  for (int i = 0; i < 100; ++i) CHECK(streams[0].send("tick", {{"n", i}}));
  CHECK(streams[1].send("tick", {{"n", 1}}));
  CHECK(has(app, "fairway_stream_events_total" + route + "101"));
  REQUIRE(streams[0].dropped() > 0);
  const std::string dropped = std::to_string(streams[0].dropped() + streams[1].dropped());
  CHECK(has(app, "fairway_stream_events_dropped_total" + route + dropped));
  streams.clear();
  while (first.next()) continue;
  while (second.next()) continue;
  CHECK(eventually([&] { return has(app, "fairway_open_streams" + route + "0"); }));
  CHECK(has(app, "fairway_stream_events_total" + route + "101"));
  CHECK(figures(app).find("fairway_open_sockets") == std::string::npos);
}

TEST_CASE("push figures: open sockets and their messages are counted by route") {
  OneFileApp app([](fw::Router& router) {
    router.socket("/echo", {.receive = fw::raw, .send = fw::raw},
                  [](fw::Request&, fw::Socket& socket) {
                    socket.on_text([](std::string_view text, fw::Socket& from) {
                      from.send_text(text);
                      from.send_text(text);
                    });
                  });
  });
  const std::string route = R"({http_route="/echo"} )";
  {
    auto socket = app.socket("/echo");
    CHECK(has(app, "fairway_open_sockets" + route + "1"));
    socket.send_text("hello");
    CHECK(socket.next());
    CHECK(socket.next());
    CHECK(has(app, R"(fairway_socket_messages_total{http_route="/echo",direction="received"} 1)"));
    CHECK(has(app, R"(fairway_socket_messages_total{http_route="/echo",direction="sent"} 2)"));
    CHECK(has(app, "fairway_socket_messages_dropped_total" + route + "0"));
    socket.close();
  }
  CHECK(eventually([&] { return has(app, "fairway_open_sockets" + route + "0"); }));
  CHECK(figures(app).find("fairway_open_streams") == std::string::npos);
}

}  // namespace push_exposition_test
