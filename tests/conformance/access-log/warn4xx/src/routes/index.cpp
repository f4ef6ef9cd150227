#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/e400", [](fw::Request&, fw::Response& res) { res.json(1, 400); });

  app.get("/throw", [&app](fw::Request&, fw::Response&) { app.raise(400, "x"); });

  app.get("/x", [](fw::Request&, fw::Response& res) { res.json({{"ok", true}}); });
});
