// Routes that are sockets, for the tests of generated clients.
#include <fairway/fairway.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "index.routes.hpp"

namespace {

struct Move {
  std::int64_t x;
  std::int64_t y;
};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.socket("/rooms/:id",
             {.validate = {.param = {{"id", "integer:1-"}}, .query = {{"name", "string?"}}},
              .docs = {.summary = "What is said in a room", .operation_id = "room"},
              .receive = {{"say", {{"text", "string:1-500"}}}, {"typing", {}}},
              .send = {{"said", {{"by", "string"}, {"text", "string"}, {"mood", "enum:good,bad"}}},
                       {"joined", {{"by", "string?"}}},
                       {"typing", {}}},
              .socket = {.protocols = {"chat.v1", "chat.v2"}}},
             [](fw::Request&, fw::Socket& socket) {
               using Room = routes::index::Room;
               socket.on<Room::Say>([](const Room::Say& say, fw::Socket& from) {
                 from.send(Room::Said{.by = "me", .text = say.text});
               });
               socket.on("typing", [](const fw::Json&, fw::Socket& from) { from.send("typing"); });
             });
  app.socket(
      "/echo", {.docs = {.operation_id = "echo"}, .receive = fw::raw, .send = fw::raw},
      [](fw::Request&, fw::Socket& socket) {
        socket.on_text([](std::string_view text, fw::Socket& from) { from.send_text(text); });
      });
  const auto send_back = [](fw::Request&, fw::Socket& socket) {
    socket.on_text([](std::string_view text, fw::Socket& from) { from.send_text(text); });
    socket.on_binary([](std::string_view bytes, fw::Socket& from) { from.send_binary(bytes); });
  };
  app.socket("/numbered",
             {.docs = {.operation_id = "numbered"},
              .receive = fw::raw,
              .send = fw::raw,
              .socket = {.max_message = "16mb", .queue = "32mb"}},
             send_back);
  app.socket("/compressed",
             {.docs = {.operation_id = "compressed"},
              .compression = true,
              .receive = fw::raw,
              .send = fw::raw,
              .socket = {.max_message = "16mb", .queue = "32mb"}},
             send_back);
  app.socket("/board",
             {.validate = {.header = {{"x-player", "string"}}},
              .docs = {.operation_id = "board"},
              .receive = {{"move", fw::type<Move>}},
              .send = {{"move", fw::type<Move>}}},
             [](fw::Request&, fw::Socket& socket) {
               socket.on<Move>([](const Move& move, fw::Socket& from) { from.send(move); });
             });
  app.get("/rooms",
          {.responses = {{"200", fw::array_of({{"id", "integer"}})}},
           .docs = {.operation_id = "listRooms"}},
          [](fw::Request&, fw::Response& res) { res.json(fw::Json::array()); });
});
