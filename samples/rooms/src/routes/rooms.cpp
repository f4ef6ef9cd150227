// A chat in each room, and a list of what is said in all of them. With Redis, both reach the
// clients of all processes.
#include <fairway/fairway.hpp>

#include <string>

#include "rooms.routes.hpp"

namespace {

using routes::rooms::Room;
using routes::rooms::WatchRooms;

/// A room is one of a few, because a topic exists as long as the application.
fw::Topic<Room::Said>& talk(const fw::Router& app, Room::Param::Name name) {
  return app.topics().get<Room::Said>("room:" + std::string(to_string(name)));
}

fw::Topic<WatchRooms::Spoken>& list(const fw::Router& app) {
  return app.topics().get<WatchRooms::Spoken>("rooms");
}

/// What a visitor says is published to the room and to the list.
void enter(const fw::Router& app, fw::Request& req, fw::Socket& socket) {
  const auto name = req.valid<Room::Param>().name;
  talk(app, name).subscribe(socket);
  socket.on<Room::Say>([&app, name, by = req.valid<Room::Query>().by](const Room::Say& say) {
    talk(app, name).publish({.by = by, .text = say.text});
    list(app).publish({.room = std::string(to_string(name)), .by = by, .text = say.text});
  });
}

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get(
      "/live",
      {.responses = {{"200",
                      fw::events({{"spoken",
                                   {{"room", "string"}, {"by", "string"}, {"text", "string"}}}})}},
       .docs = {.summary = "What is said in any room", .operation_id = "watchRooms"}},
      [&app](fw::Request&, fw::Response& res) { list(app).subscribe(res.events()); });

  app.socket("/:name",
             {.validate = {.param = {{"name", "enum:lobby,garden,library"}},
                           .query = {{"by", "string:1-40"}}},
              .docs = {.summary = "What is said in a room", .operation_id = "room"},
              .receive = {{"say", {{"text", "string:1-500"}}}},
              .send = {{"said", {{"by", "string"}, {"text", "string"}}}}},
             [&app](fw::Request& req, fw::Socket& socket) { enter(app, req, socket); });
});
