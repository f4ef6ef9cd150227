#include <fairway/fairway.hpp>
#include "unknown-route-type.routes.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", {.validate = {.body = {{"name", "string"}}}, .docs = {.operation_id = "createUser"}},
           [](fw::Request& req, fw::Response& res) {
             const auto body = req.valid<routes::unknown_route_type::CreateUser::Body>();
             res.json({{"name", body.name}});
           });
});
