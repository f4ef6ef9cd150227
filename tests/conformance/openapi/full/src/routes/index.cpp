#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/users",
          {.validate = {.query = {{"page", "integer:1-!"},
                                  {"limit", "integer:1-100?"},
                                  {"q", "string:1-20?"},
                                  {"sort", "enum:asc,desc?"},
                                  {"flag", "boolean?"},
                                  {"e", "email?"},
                                  {"n", "number:0-?"}}},
           .docs = {.summary = "List", .description = "**md**", .tags = {"X"}, .deprecated = true}},
          responses::ok);

  app.post("/users",
           {.validate = {.body = {{"name", "string:1-50!"},
                                  {"email", "email"},
                                  {"age", "integer:0-150?"},
                                  {"nested", {{"a", "string!"}, {"b", "number?"}}},
                                  {"list", fw::array_of({{"id", "integer!"}, {"t", "string?"}})},
                                  {"role", "enum:admin,user?"},
                                  {"built", fw::schema_adapter::compile_field("string:2-5!")
                                                .description("Built field")}}}},
           responses::ok);

  app.get("/users/:id",
          {.responses = {{"200", {{"id", "integer!"}, {"name", "string?"}}},
                         {"4xx", {{"e", "string?"}}}},
           .docs = {.responses = {{"200", {.description = "The user"}},
                                  {"404", {.description = "none"}}}}},
          responses::ok);

  app.put("/users/:id",
          {.validate = {.param = {{"id", "integer:1-!"}},
                        .header = {{"x-v", "integer!"}},
                        .cookie = {{"c", "string?"}},
                        .body = {{"name", "string?"}}},
           .auth = true},
          responses::ok);

  app.del("/users/:id", {.auth = {{.roles = {"admin"}, .security = "oauth"}}}, responses::ok);

  app.patch("/users/:id", {.auth = {{.required = false}}}, responses::ok);

  app.get("/files/*path", {.auth = false, .middlewares = {"guard"}}, responses::ok);

  app.get("/legacy", {.middlewares = {"guard", "auth"}}, responses::ok);

  app.get("/optrole", {.auth = {{.required = false, .roles = {"a"}}}}, responses::ok);

  app.get("/secmap",
          {.auth = {{.security = {{{"oauth", {"read"}}}}}}, .docs = {.operation_id = "customId"}},
          responses::ok);

  app.get("/secover", {.auth = true, .docs = {.security = {}}}, responses::ok);

  app.get("/hidden", {.docs = {.hidden = true}}, responses::ok);

  app.get("/ext",
          {.docs = {.extensions = {{"x-a", 1}},
                    .access = {{"roles", fw::Json::array({"r"})}, {"tryItOut", false}}}},
          responses::ok);

  app.get("/access", {.docs = {.access = "internal"}}, responses::ok);

  app.post("/upload",
           {.validate = {.body = {{"t", "string!"}}},
            .multipart = {.enabled = true,
                          .files = {{"avatar", {.description = "Pic", .required = true}},
                                    {"doc", "Docs"}}}},
           responses::ok);

  app.post("/manual",
           {.docs = {.request_body = {{"content",
                                       {{"text/plain", {{"schema", {{"type", "string"}}}}}}}}}},
           responses::ok);

  app.post(
      "/resp",
      {.docs = {.responses =
                    {{"201",
                      {.description = "Made",
                       .headers = {{"X-R", {.description = "h", .schema = {{"type", "string"}}}}}}},
                     {"400", {.description = "Bad"}},
                     {"204", {.description = "None"}}}}},
      responses::ok);

  app.get("/api/v1/things/:thing_id", responses::ok);

  app.del("/bodydel", {.validate = {.body = {{"a", "string!"}}}}, responses::ok);
});
