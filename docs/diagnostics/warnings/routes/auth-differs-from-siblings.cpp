#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", {.auth = true}, list);
  app.post("/", {.auth = true}, create);
  app.del("/:id", remove_one);
});
