#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/:id", by_id);
  app.get("/by-name/:name", by_name);
});
