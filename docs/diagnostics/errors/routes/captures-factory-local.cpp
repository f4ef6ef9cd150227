#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  int visits = 0;
  app.get("/", [&](fw::Request&, fw::Response& res) { res.json(++visits); });
});
