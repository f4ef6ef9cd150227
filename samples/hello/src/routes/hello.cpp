#include <fairway/routes.hpp>

#include "hello.routes.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/:name",
          {
              .validate = {.param = {{"name", "string:1-50"}}},
              .responses = {{"200", {{"greeting", "string"}}}},
              .docs = {.summary = "Greet somebody", .operation_id = "greet"},
          },
          [](fw::Request& req, fw::Response& res) {
            const auto& param = req.valid<routes::hello::Greet::Param>();
            res.json({{"greeting", "Hello, " + param.name + "!"}});
          });
});
