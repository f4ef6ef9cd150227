#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/p/:v", [](fw::Request& req, fw::Response& res) { responses::facts(req, res); });

  app.get("/q", [](fw::Request& req, fw::Response& res) { responses::facts(req, res); });
});
