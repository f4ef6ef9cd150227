#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/token",
          [](fw::Request& req, fw::Response& res) { res.json({{"token", req.csrf_token()}}); });
  app.post("/act", responses::ok);
});
