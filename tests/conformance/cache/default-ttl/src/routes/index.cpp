#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  const auto counter = responses::new_counter();
  app.get("/0", {.cache = {{.ttl = 0}}},
          [counter](fw::Request&, fw::Response& res) { responses::hits(counter, res); });
  app.get("/1", {.cache = {{.ttl = -1}}},
          [counter](fw::Request&, fw::Response& res) { responses::hits(counter, res); });
  app.get("/2", {.cache = fw::RouteCacheOptions{}},
          [counter](fw::Request&, fw::Response& res) { responses::hits(counter, res); });
  app.get("/3", {.cache = 0},
          [counter](fw::Request&, fw::Response& res) { responses::hits(counter, res); });
  app.get("/4", {.cache = false},
          [counter](fw::Request&, fw::Response& res) { responses::hits(counter, res); });
});
