#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.validate = {.query = {{"page", "integer?"}}}},
          [](fw::Request& req, fw::Response& res) { res.json(req.query("page")); });
});
