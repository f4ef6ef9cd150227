#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {
              .responses = {{"200", {{"status", "enum:ok"}}}},
              .docs = {.summary = "Tell whether the service is up",
                       .tags = {"operations"},
                       .operation_id = "health"},
          },
          [](fw::Request&, fw::Response& res) { res.json({{"status", "ok"}}); });
});
