#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.socket("/rooms/:id", {.receive = {{"say", {{"text", "string"}}}}, .send = {{"said", {}}}},
           [](fw::Request&, fw::Socket& socket) {
             socket.on("say", [](const fw::Json&, fw::Socket& from) { from.send("said"); });
           });
});
