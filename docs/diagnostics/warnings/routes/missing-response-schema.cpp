#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.docs = {.summary = "List"}},
          [](fw::Request&, fw::Response& res) { res.json({{"id", 1}}); });
});
