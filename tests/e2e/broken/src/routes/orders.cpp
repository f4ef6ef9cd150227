#include <fairway/fairway.hpp>

#include <string>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get(std::string("/") + "list", [](fw::Request&, fw::Response& res) { res.json(1); });

  for (int i = 0; i < 2; ++i) {
    app.post("/", [](fw::Request&, fw::Response& res) { res.json(1); });
  }
});
