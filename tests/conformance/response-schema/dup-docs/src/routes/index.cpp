#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/x",
          {.responses = {{"200", {{"a", "string"}}}},
           .docs = {.responses = {{200, {.schema = fw::ResponseSchema{{"a", "string"}}}}}}},
          [](fw::Request&, fw::Response& res) { res.json(1); });
});
