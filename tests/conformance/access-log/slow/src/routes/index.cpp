#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/slow", [](fw::Request&, fw::Response& res) {
    responses::wait(std::chrono::milliseconds(60));
    res.json(1);
  });

  app.get("/x", [](fw::Request&, fw::Response& res) { res.json({{"ok", true}}); });

  app.get("/e500", [](fw::Request&, fw::Response& res) { res.json(1, 500); });
});
