#include <fairway/fairway.hpp>

#include "services/request_counts.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get(
      "/health",
      {
          .responses = {{"200",
                         {{"status", "enum:ok"}, {"responses", "integer"}, {"errors", "integer"}}}},
          .docs = {.summary = "Tell whether the service is up, and how many responses it has sent",
                   .tags = {"operations"},
                   .operation_id = "health"},
      },
      [&app](fw::Request&, fw::Response& res) {
        const auto& counts = app.services().get<RequestCounts>();
        res.json({{"status", "ok"},
                  {"responses", counts.responses.load()},
                  {"errors", counts.errors.load()}});
      });
});
