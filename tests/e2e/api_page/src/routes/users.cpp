// src/routes/users.cpp            prefix /users
#include <fairway/fairway.hpp>
#include "users.routes.hpp"        // optional: generated types of this file's routes

namespace {
constexpr auto kName = "string:1-50";
}

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/:id", [&app](fw::Request& req, fw::Response& res) {
    auto user = app.services().get<UserStore>().find(req.param("id"));
    if (!user) app.raise(404, "user.not_found");
    res.json(*user);
  });

  app.post("/",
           {
               .validate = {.body = {{"name", kName},
                                     {"email", "email"},
                                     {"address", {{"city", "string"}, {"zip", "string?"}}},
                                     {"tags", fw::array_of({{"key", "string"}, {"value", "string"}})}}},
               .auth = true,
               .middlewares = {"audit-log", {"role", {{"required", "user"}}}},
               .responses = {{"201", {{"id", "uuid"}, {"name", "string"}}}},
               .docs = {.summary = "Create a user"},
           },
           [&app](fw::Request& req, fw::Response& res) {
             const auto body = req.valid<routes::users::CreateUsers::Body>();   // typed, generated
             res.json(app.services().get<UserStore>().create(body.name, body.email), 201);
           });
});
