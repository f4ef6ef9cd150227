#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/x", [](fw::Request&, fw::Response& res) { res.json({{"ok", true}}); });

  app.get("/e500", [](fw::Request&, fw::Response& res) { res.json(1, 500); });

  app.get("/e400", [](fw::Request&, fw::Response& res) { res.json(1, 400); });

  app.get("/throw", [&app](fw::Request&, fw::Response&) { app.raise(400, "x"); });

  app.get("/stream",
          [](fw::Request&, fw::Response& res) { res.stream(responses::chunks({"abc"})); });

  app.get("/none", [](fw::Request&, fw::Response& res) { res.status(204).json(nullptr); });

  app.get("/logger", [](fw::Request& req, fw::Response& res) {
    responses::log_lines(req.app().logger());
    res.json(responses::level_name(req.app().logger()));
  });
});
