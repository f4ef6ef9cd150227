#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.validate = {.header = {{"x-currency", "string"}}}, .cache = 5000},
          [](fw::Request& req, fw::Response& res) { res.json(req.header("x-currency")); });
});
