#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/:id",
          {.responses = {{"200", {{"id", "uuid"}}}, {"404", {{"error", "string"}}}},
           .docs = {.summary = "Read a user", .operation_id = "readUser"}},
          [](fw::Request&, fw::Response& res) { res.status(404).json({{"error", "no user"}}); });
});
