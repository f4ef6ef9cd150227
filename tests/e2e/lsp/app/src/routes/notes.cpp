#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get(
      "/:id",
      {.validate = {.param = {{"id", "integer:1-"}}, .query = {{"größe", "string:1-5?"}}},
       .auth = fw::AuthRequirement{.roles = {"staff"}},
       .middlewares = {"audit-log"},
       .responses = {{"200", {{"text", "string"}, {"tags", fw::array_of({{"name", "string"}})}}}},
       .docs = {.summary = "Read a note", .operation_id = "getNote"}},
      [](fw::Request& req, fw::Response& res) { res.json({{"text", *req.param("id")}}); });

  app.post("/", {.validate = {.body = {{"text", "string"}}}},
           [](fw::Request&, fw::Response& res) { res.status(204).json(nullptr); });
});
