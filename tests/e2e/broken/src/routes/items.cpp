#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/:id", [](fw::Request&, fw::Response& res) { res.json(1); });
  app.get("/:id/", [](fw::Request&, fw::Response& res) { res.json(2); });

  (app.*static_cast<void (fw::Router::*)(fw::Text, fw::RouteHandler)>(&fw::Router::put))(
      "/:id", [](fw::Request&, fw::Response& res) { res.json(3); });
});
