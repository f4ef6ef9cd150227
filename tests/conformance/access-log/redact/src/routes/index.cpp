#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/logger", [](fw::Request& req, fw::Response& res) {
    responses::log_lines(req.app().logger());
    res.json(responses::level_name(req.app().logger()));
  });
});
