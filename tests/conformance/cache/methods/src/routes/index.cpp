#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  const auto counter = responses::new_counter();
  app.post("/c", {.cache = 60000},
           [counter](fw::Request&, fw::Response& res) { responses::hits(counter, res); });
});
