#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/on", {.session = true}, [](fw::Request& req, fw::Response& res) {
    req.session().set("x", 1);
    res.json({{"ok", true}});
  });
});
