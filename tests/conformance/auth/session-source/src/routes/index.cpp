#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/who", responses::identity);
  app.get("/login", [](fw::Request& req, fw::Response& res) {
    req.session().set("userId", "admin");
    res.json(1);
  });
  app.get("/true", {.auth = true}, responses::identity);
});
