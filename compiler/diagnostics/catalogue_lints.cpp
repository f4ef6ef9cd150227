#include "diagnostics/catalogue_rows.hpp"

namespace fairway::diagnostics {

std::span<const Rule> lint_rules() {
  using enum model::Severity;
  static constexpr Rule kRows[] = {
      {"missing-docs-summary", warning, "a documented route has a summary",
       "The summary is the line that a reader of the API documentation sees first. Hidden routes "
       "need none.",
       R"(app.get("/", list);)"},
      {"auto-operation-id", warning, "an operation id is written, not inferred",
       "An inferred id changes with the path, and with it the names in generated clients. Hidden "
       "routes need no id, and routes that several files bring by re-export cannot share one.",
       R"(app.get("/users/:id/orders", orders);)"},
      {"undeclared-input", warning, "a handler reads declared input only",
       "A parameter, query key, header, cookie or body field without a schema is neither checked "
       "nor documented. Headers that every client or proxy sends, and parameters of the path, need "
       "none.",
       R"(app.get("/", [](fw::Request& req, fw::Response& res) { res.json(req.query("page")); });)"},
      {"shadowed-route", warning, "some request reaches each route",
       "In each segment literals go before parameters and parameters before wildcards. A wildcard "
       "is dead when a route answers the path in front of it and another one every longer path.",
       R"(app.get("/files", list);
app.get("/files/:folder/*path", read_file);
app.get("/files/*", never);)"},
      {"missing-response-schema", warning, "a route declares the schema of its answer",
       "Without one the answer is neither cleaned nor documented, and clients get no type. "
       "Handlers "
       "that send no JSON need none; where that cannot be seen, declare the answer by its status "
       "or "
       "media type in 'docs.responses'.",
       R"(app.get("/",
        {.docs = {.summary = "List"}},
        [](fw::Request&, fw::Response& res) { res.json(1); });)"},
      {"body-on-get", warning, "a GET, HEAD or OPTIONS route declares no body",
       "Bodies of these requests are not parsed: a schema with required fields rejects every "
       "request.",
       R"(app.get("/", {.validate = {.body = {{"q", "string"}}}}, search);)"},
      {"cache-on-unsafe-method", warning, "only routes that change nothing are cached",
       "Without 'cache.methods' nothing but GET and HEAD is cached, and 'cache' has no effect. "
       "With "
       "it, a cached answer hides that a request changed nothing this time.",
       R"(app.post("/", {.cache = 5000}, create);)"},
      {"auth-differs-from-siblings", warning, "among guarded routes, an unguarded one says so",
       "An unguarded route in a file most of whose routes are guarded is more often an oversight "
       "than a decision: write 'auth = false' where it is one. Reading routes are compared with "
       "guarded reading routes only.",
       R"(app.get("/", {.auth = true}, list);
app.post("/", {.auth = true}, create);
app.del("/:id", remove_one);)"},
      {"unused-suppression", warning, "a NOLINT comment silences something",
       "A comment that has nothing to silence any more hides the next fault of that kind. Errors "
       "cannot be silenced at all. Ids of other tools are left alone.",
       R"(app.get("/", {.docs = {.summary = "List"}}, list);  // NOLINT(missing-docs-summary))"},
  };
  return kRows;
}

}  // namespace fairway::diagnostics
