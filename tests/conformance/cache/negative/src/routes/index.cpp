#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  const auto counter = responses::new_counter();
  app.get("/4", {.cache = {{.ttl = -1}}},
          [counter](fw::Request&, fw::Response& res) { responses::hits(counter, res); });
});
