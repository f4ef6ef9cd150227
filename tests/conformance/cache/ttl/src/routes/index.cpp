#include <fairway/fairway.hpp>

#include "support/answers.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  const auto counter = answers::new_counter();
  app.get("/c", {.cache = 60000},
          [counter](fw::Request&, fw::Response& res) { answers::hits(counter, res); });
  app.get("/p/:id", {.cache = 60000},
          [counter](fw::Request&, fw::Response& res) { answers::hits(counter, res); });
});
