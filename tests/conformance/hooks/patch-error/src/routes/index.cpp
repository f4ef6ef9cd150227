#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/e", [&app](fw::Request&, fw::Response&) { app.raise(400, "orig", "C"); });
});
