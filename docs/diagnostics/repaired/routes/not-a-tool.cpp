#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/latest", {.responses = {{"200", {{"n", "integer"}}}}, .mcp = true}, latest);
});
