#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", {.responses = {{"200", {{"id", "uuid"}}}}},
          [](fw::Request&, fw::Response& res) { res.text("7"); });
});
