#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/def", {.middlewares = {"role"}},
          [](fw::Request&, fw::Response& res) { res.json({{"ok", true}}); });

  app.get("/ov", {.middlewares = {{"role", {{"role", "y"}}}}},
          [](fw::Request&, fw::Response& res) { res.json({{"ok", true}}); });

  app.get("/pa", {.middlewares = {"plainAuth"}},
          [](fw::Request&, fw::Response& res) { res.json({{"ok", true}}); });
});
