#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  const auto counter = responses::new_counter();
  app.get("/c", {.auth = true, .cache = 60000},
          [counter](fw::Request&, fw::Response& res) { responses::hits(counter, res); });
  app.get("/v", {.validate = {.query = {{"a", "integer!"}}}, .cache = 60000},
          [counter](fw::Request&, fw::Response& res) { responses::hits(counter, res); });
});
