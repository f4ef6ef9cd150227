// Routes with names, texts and schemas that a C++ client could stumble over.
#include <fairway/fairway.hpp>

namespace {

// Parts of a multipart form.
const fw::Json kFile = {
    {"type", "string"}, {"format", "binary"}, {"contentMediaType", "application/octet-stream"}};
const fw::Json kNote = {{"type", "string"}};

constexpr auto kTree = R"({
  "type": "object",
  "description": "Refers to itself */ and ends in a backslash \\",
  "properties": {
    "value": {"type": ["integer", "null"]},
    "parent": {"$ref": "#"},
    "children": {"type": "array", "items": {"$ref": "#"}},
    "named": {"type": "object", "additionalProperties": {"$ref": "#/$defs/leaf"}},
    "choice": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/leaf"}, {"type": "null"}]},
    "fixed": {"const": "one"},
    "anything": {}
  },
  "required": ["value", "children"],
  "additionalProperties": {"type": "number"},
  "$defs": {"leaf": {"type": "object", "properties": {"Json": {"type": "boolean"}, "Leaf": {"$ref": "#/$defs/leaf"}}}}
})";

const fw::SchemaMap kHostile = {{"class", "string"},
                                {"1st", "integer?"},
                                {"std", "string?"},
                                {"Json", "boolean?"},
                                {"a-b", "string?"},
                                {"CHAR_BIT", "string?"},
                                {"visit_fields", "any?"},
                                {"fw_self", "null?"},
                                {"na\xC3\xAFve", "datetime?"},
                                {"quote\"\\", "number?"},
                                {"why\?\?/", "string?"},
                                {"Hostile", {{"Hostile", "boolean"}}},
                                {"state", "enum:default,1st,NULL,in-use,EAGAIN,a\?\?/?"},
                                {"matrix", "array<array<integer>>?"},
                                {"things", "array?"},
                                {"object", "object?"}};

void respond(fw::Request&, fw::Response& res) { res.end(); }

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", {.responses = {{"200", fw::json_schema(kTree)}}, .docs = {.operation_id = "tree"}},
          respond);
  app.post("/",
           {.validate = {.query = {{"class", "string"},
                                   {"id", "integer?"},
                                   {"on", "boolean?"},
                                   {"share", "number?"},
                                   {"list", "array<string>?"},
                                   {"sort", "enum:asc,desc?"}},
                         .header = {{"X-Class", "string?"},
                                    {"X-Labels", "array<string>?"},
                                    {"if", "uuid?"}},
                         .cookie = {{"theme", "enum:dark,light?"}},
                         .body = kHostile},
            .responses = {{"200", kHostile},
                          {"201", fw::array_of({{"id", "integer"}})},
                          {"202", "enum:on,off"}},
            .docs = {.summary = "A */ comment /* in /* one",
                     .description = "Ends badly \\\n\n\?\?/\n*/ // \xC3\xA9 \n\ttab",
                     .operation_id = "class"}},
           respond);
  app.put("/:id/:class",
          {.validate = {.param = {{"id", "integer"}},
                        .query = {{"id", "string"}},
                        .body = {{"body", "string"}}},
           .responses = {{"2xx", "string"}, {"203", "string"}},
           .docs = {.operation_id = "2fast", .deprecated = true}},
          respond);
  app.get("/files/*", {.docs = {.operation_id = "request"}}, respond);
  app.get(
      "/named/*rest",
      {.docs = {.operation_id = "caf\xC3\xA9", .responses = {{200, {.content_type = "text/csv"}}}}},
      respond);
  app.head("/head", {.docs = {.operation_id = "options"}}, respond);
  app.options("/options", {.docs = {.operation_id = "ApiError"}}, respond);
  app.get("/moved",
          {.docs = {.operation_id = "transport_", .responses = {{302, {.description = "moved"}}}}},
          [](fw::Request&, fw::Response& res) { res.redirect("/new"); });
  app.post("/upload",
           {.docs = {.operation_id = "upload",
                     .request_body = {{"required", true},
                                      {"content",
                                       {{"multipart/form-data",
                                         {{"schema",
                                           {{"type", "object"},
                                            {"properties", {{"photo", kFile}, {"more", kFile}}},
                                            {"required", {"photo"}}}}}}}}}}},
           respond);
  app.post("/both",
           {.validate = {.body = {{"note", "string"}}},
            .docs = {.operation_id = "both",
                     .request_body = {{"required", true},
                                      {"content",
                                       {{"multipart/form-data",
                                         {{"schema",
                                           {{"type", "object"},
                                            {"properties", {{"photo", kFile}, {"note", kNote}}}}}}},
                                        {"application/json",
                                         {{"schema",
                                           {{"type", "object"},
                                            {"properties", {{"note", kNote}}},
                                            {"required", {"note"}}}}}}}}}}},
           respond);
  app.patch("/none",
            {.docs = {.operation_id = "delete", .responses = {{204, {.description = "done"}}}}},
            respond);
  app.del("/secret", {.auth = true, .docs = {.operation_id = "detail"}}, respond);
});
