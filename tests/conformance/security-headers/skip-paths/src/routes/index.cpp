#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/open/a", responses::ok);
  app.get("/err", [&app](fw::Request&, fw::Response&) { app.raise(400, "e"); });
});
