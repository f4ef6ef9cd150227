#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  const auto counter = responses::new_counter();
  app.get("/s201", {.cache = 60000},
          [counter](fw::Request&, fw::Response& res) { responses::hits(counter, res, 201); });
  app.get("/s204", {.cache = 60000},
          [counter](fw::Request&, fw::Response& res) { responses::hits(counter, res, 204); });
  app.get("/s301", {.cache = 60000},
          [counter](fw::Request&, fw::Response& res) { responses::hits(counter, res, 301); });
  app.get("/s400", {.cache = 60000},
          [counter](fw::Request&, fw::Response& res) { responses::hits(counter, res, 400); });
  app.get("/s404", {.cache = 60000},
          [counter](fw::Request&, fw::Response& res) { responses::hits(counter, res, 404); });
  app.get("/s500", {.cache = 60000},
          [counter](fw::Request&, fw::Response& res) { responses::hits(counter, res, 500); });
});
