#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/search",
          {
              .responses = {{"200", {{"hits", "integer"}}}},
              .docs = {.summary = "Search", .operation_id = "search"},
          },
          [](fw::Request& req, fw::Response& res) {
            res.json({{"hits", req.query("q").value_or("").size()}});
          });
});
