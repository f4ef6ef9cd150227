#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/w/*a", [](fw::Request&, fw::Response& res) { res.json(1); });

  app.get("/w/*b", [](fw::Request&, fw::Response& res) { res.json(1); });
});
