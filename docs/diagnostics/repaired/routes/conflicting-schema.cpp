#include <fairway/fairway.hpp>

#include "conflicting-schema.routes.hpp"

struct Draft {
  std::string title;
};

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", [](fw::Body<Draft>) -> fw::NoContent { return {}; });
});
