#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/users-list", [](fw::Request&, fw::Response& res) { res.json(1); });

  app.get("/users/list", [](fw::Request&, fw::Response& res) { res.json(1); });
});
