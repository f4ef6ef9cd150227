#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.socket("/rooms/:id", {.receive = {{"say", {{"type", "string"}}}}}, join);
});
