// Routes with everything that a client has to say in its own language. They are never served.
#include <fairway/fairway.hpp>

namespace {

// Parts of a multipart form.
const fw::Json kFile = {
    {"type", "string"}, {"format", "binary"}, {"contentMediaType", "application/octet-stream"}};
const fw::Json kTitle = {{"type", "string"}};

void nothing(fw::Request&, fw::Response& res) { res.end(); }

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  // Parameters of all places, hostile names among them.
  app.get("/:id/parts/:part",
          {.validate = {.param = {{"id", "integer:1-"}},
                        .query = {{"state", "enum:open,closed?"},
                                  {"tags", "array<string>?"},
                                  {"sort-by", "string"},
                                  {"__proto__", "boolean?"}},
                        .header = {{"x-tenant", "uuid"},
                                   {"x-trace", "boolean?"},
                                   {"x-labels", "array<string>?"}},
                        .cookie = {{"theme", "enum:light,dark?"}}},
           .auth = true,
           .middlewares = {{"role", {{"required", "user"}}}},
           .responses = {{"200",
                          {{"id", "integer"},
                           {"ratio", "number"},
                           {"on", "boolean"},
                           {"anything", "any"},
                           {"none", "null"},
                           {"options", "object"},
                           {"tags", "array<string>"},
                           {"any-list", "array?"},
                           {"constructor", "string?"},
                           {"two words", "string?"}}}},
           .docs = {.summary = "Read a part */ globalThis.broken = true; /*",
                    .description = "First line\n@private second line",
                    .operation_id = "getPart",
                    .deprecated = true}},
          nothing);
  app.get("/files/*path", {.docs = {.operation_id = "getFile"}}, nothing);
  app.get("/rest/*", {.docs = {.operation_id = "getRest"}}, nothing);

  // Several successes, and those without a body or with a foreign one.
  app.put("/:id",
          {.validate = {.body = {{"name", fw::schema_adapter::compile_field("string:1-50")
                                              .description("Shown */ to people")},
                                 {"__proto__", "string?"},
                                 {"sizes", fw::array_of({{"width", "number"}})}}},
           .responses = {{"200", {{"id", "integer"}}}, {"2xx", "string"}},
           .docs = {.operation_id = "putThing",
                    .responses = {{204, {.description = "It was like that already"}}}}},
          nothing);
  app.get("/text",
          {.docs = {.operation_id = "getText", .responses = {{200, {.content_type = "text/csv"}}}}},
          nothing);
  app.get(
      "/picture",
      {.docs = {.operation_id = "getPicture", .responses = {{200, {.content_type = "image/png"}}}}},
      nothing);
  app.get("/events",
          {.docs = {.operation_id = "getEvents",
                    .responses = {{200, {.content_type = "text/event-stream"}}}}},
          nothing);
  app.head("/:id", {.docs = {.operation_id = "headThing"}}, nothing);
  app.options("/:id", {.docs = {.operation_id = "optionsThing"}}, nothing);

  // A schema that refers to itself, and JSON Schema's ways to combine types.
  app.get("/tree",
          {.responses = {{"200", fw::json_schema(R"({
             "type": "object",
             "required": ["name", "children"],
             "properties": {
               "name": {"type": ["string", "null"]},
               "kind": {"const": "node"},
               "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}],
                        "items": false},
               "either": {"anyOf": [{"type": "integer"}, {"enum": ["a", "b", null]}]},
               "both": {"allOf": [{"type": "object", "properties": {"x": {"type": "number"}}},
                                  {"type": "object", "properties": {"y": {"type": "number"}}}]},
               "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
               "leaf": {"$ref": "#/$defs/leaf"},
               "children": {"type": "array", "items": {"$ref": "#"}}
             },
             "$defs": {"leaf": {"type": "object", "properties": {"size": {"type": "integer"}},
                                "required": ["size"], "additionalProperties": false}}
           })")}},
           .docs = {.operation_id = "getTree"}},
          nothing);

  // Files, beside a body and alone; a body of another media type; ids that are no method names.
  app.post("/:id/photo",
           {.docs = {.operation_id = "upload",
                     .request_body = {{"required", true},
                                      {"content",
                                       {{"multipart/form-data",
                                         {{"schema",
                                           {{"type", "object"},
                                            {"properties", {{"photo", kFile}, {"more", kFile}}},
                                            {"required", {"photo"}}}}}}}}}}},
           nothing);
  app.post(
      "/:id/mixed",
      {.validate = {.body = {{"title", "string"}}},
       .docs = {.operation_id = "mixed",
                .request_body = {{"required", true},
                                 {"content",
                                  {{"multipart/form-data",
                                    {{"schema",
                                      {{"type", "object"},
                                       {"properties", {{"photo", kFile}, {"title", kTitle}}}}}}},
                                   {"application/json",
                                    {{"schema",
                                      {{"type", "object"},
                                       {"properties", {{"title", kTitle}}},
                                       {"required", {"title"}}}}}}}}}}},
      nothing);
  app.post(
      "/import",
      {.docs = {.operation_id = "import-things",
                .request_body =
                    fw::Json{{"required", true},
                             {"content", {{"text/csv", {{"schema", {{"type", "string"}}}}}}}}}},
      nothing);
  app.post("/then", {.docs = {.operation_id = "then"}}, nothing);
  app.post("/constructor", {.docs = {.operation_id = "constructor"}}, nothing);
  app.del("/response",
          {.responses = {{"200", {{"promise", "string"}}}}, .docs = {.operation_id = "response"}},
          nothing);

  // Errors with codes, one of which has the name of a global that the client uses.
  app.post("/buy", {.docs = {.operation_id = "buy"}}, [&app](fw::Request& req, fw::Response& res) {
    if (req.has_body()) app.raise(409, "sold", "SOLD_OUT");
    if (req.has_body()) app.raise(404, "gone", 40401);
    if (req.has_body()) app.raise(400, "what", "REQUEST");
    res.json({{"id", 7}});
  });
});
