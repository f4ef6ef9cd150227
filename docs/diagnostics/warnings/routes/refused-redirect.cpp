#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", [](fw::Request&, fw::Response& res) { res.redirect("/done", 303); });
});
