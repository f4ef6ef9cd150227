#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.responses = {{"200", {{"id", "integer"}}}}, .docs = {.summary = "List"}},
          [](fw::Request&, fw::Response& res) { res.json({{"id", 1}}); });
});
