#include <fairway/fairway.hpp>

#include "support/answers.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  const auto counter = answers::new_counter();
  app.get("/0", {.cache = false},
          [counter](fw::Request&, fw::Response& res) { answers::hits(counter, res); });
  app.get("/1", {.cache = 0},
          [counter](fw::Request&, fw::Response& res) { answers::hits(counter, res); });
});
