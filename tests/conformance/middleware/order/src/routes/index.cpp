#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/o", {.middlewares = {"m2", "m1"}},
          [](fw::Request& req, fw::Response& res) { res.json(responses::trace(req)); });

  app.get("/v", {.validate = {.query = {{"a", "integer!"}}}, .auth = true, .middlewares = {"m1"}},
          [](fw::Request& req, fw::Response& res) { res.json(responses::trace(req)); });
});
