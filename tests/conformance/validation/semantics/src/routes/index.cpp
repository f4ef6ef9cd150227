#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/user",
           {.validate = {.body = {{"name", "string:2-10!"},
                                  {"email", "email!"},
                                  {"age", "integer:0-150!"},
                                  {"role", "enum:admin,user!"},
                                  {"site", "url?"}}}},
           [](fw::Request& req, fw::Response& res) {
             responses::valid(req, res, {fw::Location::body});
           });

  app.post("/nested",
           {.validate = {.body = {{"user",
                                   {{"name", "string"},
                                    {"addr", {{"city", "string"}, {"zip", "string:5?"}}}}},
                                  {"note", "string?"}}}},
           [](fw::Request& req, fw::Response& res) {
             responses::valid(req, res, {fw::Location::body});
           });

  app.post("/items",
           {.validate = {.body = {{"items",
                                   fw::array_of({{"id", "integer"}, {"qty", "number:1-10"}})}}}},
           [](fw::Request& req, fw::Response& res) {
             responses::valid(req, res, {fw::Location::body});
           });

  app.post("/arr-dsl",
           {.validate = {.body = {{"tags", "array<string>!"},
                                  {"nums", "array<number>"},
                                  {"n13", "array:1-3!"}}}},
           [](fw::Request& req, fw::Response& res) {
             responses::valid(req, res, {fw::Location::body});
           });

  app.get("/q",
          {.validate = {.query = {{"page", "integer:1-!"},
                                  {"limit", "integer:1-100?"},
                                  {"sort", "enum:asc,desc?"},
                                  {"flag", "boolean?"},
                                  {"q", "string:1-20?"}}}},
          [](fw::Request& req, fw::Response& res) {
            responses::valid(req, res, {fw::Location::query});
          });

  app.get("/p/:id/:slug", {.validate = {.param = {{"id", "integer:1-!"}, {"slug", "string:2-5!"}}}},
          [](fw::Request& req, fw::Response& res) {
            responses::valid(req, res, {fw::Location::param});
          });

  app.get("/hd",
          {.validate = {.header = {{"x-api-version", "integer:1-!"}, {"x-name", "string?"}}}},
          [](fw::Request& req, fw::Response& res) {
            responses::valid(req, res, {fw::Location::header});
          });

  app.get("/ck", {.validate = {.cookie = {{"sid", "string:3-!"}, {"n", "integer?"}}}},
          [](fw::Request& req, fw::Response& res) {
            responses::valid(req, res, {fw::Location::cookie});
          });

  app.post("/all/:id",
           {.validate = {.param = {{"id", "integer!"}},
                         .query = {{"q", "integer!"}},
                         .header = {{"x-h", "integer!"}},
                         .cookie = {{"c", "integer!"}},
                         .body = {{"b", "integer!"}}}},
           [](fw::Request& req, fw::Response& res) {
             responses::valid(req, res,
                              {fw::Location::param, fw::Location::query, fw::Location::header,
                               fw::Location::cookie, fw::Location::body});
           });

  app.post("/field",
           {.validate = {.body = {{"name", fw::schema_adapter::compile_field("string:2-5!")
                                               .description("the name")},
                                  {"other", fw::schema_adapter::compile_field("integer?")}}}},
           [](fw::Request& req, fw::Response& res) {
             responses::valid(req, res, {fw::Location::body});
           });

  app.get("/none", [](fw::Request& req, fw::Response& res) {
    responses::valid(
        req, res,
        {fw::Location::query, fw::Location::body, fw::Location::param, fw::Location::header}, true);
  });

  app.post("/handler-error",
           [](fw::Request&, fw::Response&) { throw fw::ValidationError({{"email", "taken"}}); });

  app.post("/guarded", {.validate = {.body = {{"b", "integer!"}}}, .auth = true},
           [](fw::Request&, fw::Response& res) { res.json({{"ok", true}}); });

  app.post("/mutate", {.validate = {.body = {{"n", "number!"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"bodyType", req.body().at("n").type_name()},
                       {"validType", req.valid(fw::Location::body).at("n").type_name()}});
           });

  app.post("/default-order",
           {.validate = {.body = {{"z", "string!"}, {"a", "string!"}, {"m", "integer!"}}}},
           [](fw::Request& req, fw::Response& res) {
             responses::valid(req, res, {fw::Location::body});
           });

  app.get("/q-nested", {.validate = {.query = {{"f", {{"a", "integer!"}}}}}},
          [](fw::Request& req, fw::Response& res) {
            responses::valid(req, res, {fw::Location::query});
          });
});
