// What tests/bench/push measures: streams of events that wait, and sockets that echo.
#include <fairway/fairway.hpp>

#include "push.routes.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/events",
          {.responses = {{"200", fw::events({{"tick", {{"number", "integer"}}}})}},
           .docs = {.operation_id = "ticks"}},
          [&app](fw::Request&, fw::Response& res) {
            app.topics().get<routes::push::Ticks::Tick>("ticks").subscribe(res.events());
          });

  app.post("/ticks", {.docs = {.operation_id = "tick"}}, [&app](fw::Request&, fw::Response& res) {
    app.topics().get<routes::push::Ticks::Tick>("ticks").publish({.number = 1});
    res.status(204).end();
  });

  app.socket(
      "/echo", {.docs = {.operation_id = "echo"}, .receive = fw::raw, .send = fw::raw},
      [](fw::Request&, fw::Socket& socket) {
        socket.on_text([](std::string_view text, fw::Socket& from) { from.send_text(text); });
      });
});
