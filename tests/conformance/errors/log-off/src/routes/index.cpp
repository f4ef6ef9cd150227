#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/t500", [&app](fw::Request&, fw::Response&) { app.raise(500, "Secret cause"); });

  app.get("/e", [](fw::Request&, fw::Response&) { throw std::runtime_error("secret text"); });
});
