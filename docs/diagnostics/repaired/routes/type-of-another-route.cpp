#include <fairway/fairway.hpp>
#include "type-of-another-route.routes.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", {.validate = {.body = {{"name", "string"}, {"email", "email"}}}, .docs = {.operation_id = "addUser"}}, create);
  app.put("/:id", {.validate = {.body = {{"name", "string"}}}, .docs = {.operation_id = "renameUser"}},
          [](fw::Request& req, fw::Response& res) {
            const auto body = req.valid<routes::type_of_another_route::RenameUser::Body>();
            res.json({{"name", body.name}});
          });
});
