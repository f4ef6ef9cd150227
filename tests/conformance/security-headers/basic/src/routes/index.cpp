#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/x", responses::ok);
  app.get("/skip", {.security_headers = false}, responses::ok);
  app.get("/err", [&app](fw::Request&, fw::Response&) { app.raise(400, "e"); });
  app.get("/own", [](fw::Request&, fw::Response& res) {
    res.set_header("X-Frame-Options", "DENY").json(1);
  });
});
