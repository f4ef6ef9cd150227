#include <fairway/fairway.hpp>

#include "support/answers.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/logger", [](fw::Request& req, fw::Response& res) {
    answers::log_lines(req.app().logger());
    res.json(answers::level_name(req.app().logger()));
  });
});
