#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/health", [](fw::Request&, fw::Response& res) { res.json({{"ok", true}}); });

  app.get("/internal/users", [](fw::Request&, fw::Response& res) { res.json({{"ok", true}}); });

  app.get("/internal-tools", [](fw::Request&, fw::Response& res) { res.json({{"ok", true}}); });

  app.get("/x", [](fw::Request&, fw::Response& res) { res.json({{"ok", true}}); });
});
