#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/badsize", {.body_parser = {.max_body_size = "huge"}},
           [](fw::Request&, fw::Response& res) { res.json(1); });
});
