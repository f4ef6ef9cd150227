#include <fairway/fairway.hpp>

#include "conflicting-schema.routes.hpp"

struct Draft {
  std::string title;
};

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", {.validate = {.body = {{"title", "string"}}}},
           [](fw::Body<Draft>) -> fw::NoContent { return {}; });
});
