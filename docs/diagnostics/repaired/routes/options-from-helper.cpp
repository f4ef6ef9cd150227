#include <fairway/fairway.hpp>

const fw::RouteOptions kGuarded = {.auth = fw::AuthRequirement{.roles = {"admin"}}};

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", kGuarded, create);
});
