#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  const auto counter = responses::new_counter();
  app.get("/c", {.cache = {{.ttl = 60000, .tags = {"t"}}}},
          [counter](fw::Request&, fw::Response& res) { responses::hits(counter, res); });
  app.post("/clear", [&app](fw::Request& req, fw::Response& res) {
    app.cache().clear();
    responses::ok(req, res);
  });
});
