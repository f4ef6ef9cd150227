#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/live", {.responses = {{"200", fw::events({{"tick", {{"n", "integer"}}}})}}, .mcp = true}, live);
});
