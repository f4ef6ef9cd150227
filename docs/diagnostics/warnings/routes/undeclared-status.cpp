#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/:id",
          {.responses = {{"200", {{"id", "uuid"}}}}},
          [](fw::Request&, fw::Response& res) { res.status(404).json({{"error", "no user"}}); });
});
