// Sockets that do what their document says, and one whose function throws.
#include <fairway/fairway.hpp>

#include <stdexcept>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.socket(
      "/good",
      {.validate = {.query = {{"by", "string:1-5"}}},
       .docs = {.summary = "As declared", .operation_id = "goodSocket"},
       .receive = {{"say", {{"text", "string:1-20"}}}, {"leave", fw::SchemaMap{}}},
       .send = {{"said", {{"text", "string"}}}}},
      [](fw::Request&, fw::Socket& socket) {
        socket.on("say", [](const fw::Json& say, fw::Socket& from) { from.send("said", say); });
        socket.on("leave", [](const fw::Json&, fw::Socket& from) { from.close(1000, "left"); });
      });

  app.socket("/closes-on-invalid",
             {.docs = {.summary = "As declared, too", .operation_id = "strictSocket"},
              .receive = {{"say", {{"text", "string:1-20"}}}},
              .socket = {.close_on_invalid = true}},
             [](fw::Request&, fw::Socket& socket) {
               socket.on("say", [](const fw::Json&, fw::Socket&) {});
             });

  app.socket("/throws",
             {.docs = {.summary = "Its function throws", .operation_id = "throwingSocket"},
              .receive = {{"say", {{"text", "string"}}}}},
             [](fw::Request&, fw::Socket& socket) {
               socket.on("say", [](const fw::Json&, fw::Socket&) {
                 throw std::runtime_error("a planted error");
               });
             });
});
