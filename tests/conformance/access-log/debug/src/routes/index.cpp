#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/x", [](fw::Request&, fw::Response& res) { res.json({{"ok", true}}); });

  app.get("/e500", [](fw::Request&, fw::Response& res) { res.json(1, 500); });

  app.get("/setlevel", [](fw::Request& req, fw::Response& res) {
    responses::set_level(req.app().logger(), req.query("l").value_or("info"));
    res.json(responses::level_name(req.app().logger()));
  });
});
