#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/b", [](fw::Request& req, fw::Response& res) { responses::parsed_body(req, res); });

  app.post("/small", {.body_parser = {.max_body_size = 10}},
           [](fw::Request& req, fw::Response& res) { responses::parsed_body(req, res); });
});
