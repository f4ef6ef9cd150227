#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/k1", [&app](fw::Request&, fw::Response&) {
    app.raise(404, "user.notFound", fw::Json({{"id", 7}}));
  });

  app.get("/k2", [&app](fw::Request&, fw::Response&) { app.raise(404, "plain.key"); });

  app.get("/k3", [&app](fw::Request&, fw::Response&) { app.raise(400, "str.code"); });

  app.get("/k4", [&app](fw::Request&, fw::Response&) { app.raise(400, "with.status"); });

  app.get("/k5", [&app](fw::Request&, fw::Response&) {
    app.raise(404, "user.notFound", fw::Json({{"id", 7}}), "OVERRIDE");
  });
});
