#include <fairway/fairway.hpp>
#include "missing-types-header.routes.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", {.validate = {.body = {{"name", "string"}}}}, [](fw::Request& req, fw::Response& res) {
    const auto body = req.valid<routes::missing_types_header::CreateMissingTypesHeader::Body>();
    res.json({{"name", body.name}});
  });
});
