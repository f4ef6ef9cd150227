#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", {.docs = {.responses = {{"200", {.content_type = "text/plain"}}}}},
          [](fw::Request&, fw::Response& res) { res.text("7"); });
});
