#include <fairway/fairway.hpp>

namespace {
fw::RouteOptions guarded() { return {.auth = true}; }
}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", guarded(), [](fw::Request&, fw::Response& res) { res.json(1); });

  app.post("/", {.validate = {.body = {{"name", "strin"}}}},
           [](fw::Request&, fw::Response& res) { res.json(1); });
});
