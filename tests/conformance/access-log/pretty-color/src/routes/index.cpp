#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/x", [](fw::Request&, fw::Response& res) { res.json({{"ok", true}}); });

  app.get("/e500", [](fw::Request&, fw::Response& res) { res.json(1, 500); });
});
