#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/b", [](fw::Request& req, fw::Response& res) { responses::parsed_body(req, res); });

  app.post("/both-empty", {.body_parser = {}, .override_ = {.max_body_size = 10}},
           [](fw::Request& req, fw::Response& res) { responses::parsed_body(req, res); });
});
