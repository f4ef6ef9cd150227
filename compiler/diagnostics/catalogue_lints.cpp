#include "diagnostics/catalogue_rows.hpp"

namespace fairway::diagnostics {

std::span<const Rule> lint_rules() {
  using enum model::Severity;
  static constexpr Rule kRows[] = {
      {"missing-docs-summary", warning, "a documented route should have a summary",
       "The summary is the line that a reader of the API documentation sees first. Hidden routes "
       "need none.",
       R"(app.get("/", list);)"},
      {"auto-operation-id", warning, "an operation id should be written, not inferred",
       "An inferred id changes with the path, and with it the names in generated clients. Hidden "
       "routes need no id, and routes that several files bring by re-export cannot share one.",
       R"(app.get("/users/:id/orders", orders);)"},
      {"undeclared-input", warning, "a handler should read declared input only",
       "A parameter, query key, header, cookie or body field without a schema is neither checked "
       "nor documented. Headers that every client or proxy sends, and parameters of the path, need "
       "none.",
       R"(app.get("/", [](fw::Request& req, fw::Response& res) { res.json(req.query("page")); });)"},
      {"shadowed-route", warning, "every route should be reachable by some request",
       "In each segment literals go before parameters and parameters before wildcards. A wildcard "
       "is never reached when one route matches the path before it and another one every longer "
       "path.",
       R"(app.get("/files", list);
app.get("/files/:folder/*path", read_file);
app.get("/files/*", never);)"},
      {"missing-response-schema", warning, "a route should declare the schema of its response",
       "Without one the response is neither stripped of undeclared fields nor documented, and "
       "clients "
       "get no type. Handlers that send no JSON need none; where that cannot be seen, declare the "
       "response by its status or media type in 'docs.responses'.",
       R"(app.get("/",
        {.docs = {.summary = "List"}},
        [](fw::Request&, fw::Response& res) { res.json(1); });)"},
      {"undeclared-status", warning, "a route should declare every status that it sends",
       "A response whose status no selector of 'responses' matches is sent unchecked and is not "
       "documented, while others of the route are. A selector is a status, a family such as "
       "\"4xx\", or \"default\".",
       R"(app.get("/:id",
        {.responses = {{"200", {{"id", "uuid"}}}}},
        [](fw::Request&, fw::Response& res) { res.status(404).json({{"error", "no user"}}); });)"},
      {"body-on-get", warning, "a GET, HEAD or OPTIONS route should not declare a body",
       "Bodies of these requests are not parsed: a schema with required fields rejects every "
       "request.",
       R"(app.get("/", {.validate = {.body = {{"q", "string"}}}}, search);)"},
      {"cache-on-unsafe-method", warning, "only routes that change nothing should be cached",
       "Without 'cache.methods' nothing but GET and HEAD is cached, and 'cache' has no effect. "
       "With "
       "it, a cached response hides that a request changed nothing this time.",
       R"(app.post("/", {.cache = 5000}, create);)"},
      {"auth-differs-from-siblings", warning, "an unguarded route among guarded ones should say so",
       "An unguarded route in a file most of whose routes are guarded is more often an oversight "
       "than a decision: write 'auth = false' where it is one. Reading routes are compared with "
       "guarded reading routes only.",
       R"(app.get("/", {.auth = true}, list);
app.post("/", {.auth = true}, create);
app.del("/:id", remove_one);)"},
      {"ignored-route-file", warning, "a C++ file below routes/ should end in '.cpp'",
       "Route files end in '.cpp'. A file with another ending of C++ sources ('.cc', '.cxx', "
       "'.c++', "
       "'.C') serves nothing and is easily taken for a route file.",
       R"(routes/ignored-route-file/users.cc)"},
      {"unused-suppression", warning, "a NOLINT comment should suppress something",
       "A comment that no longer suppresses anything hides the next defect of that kind. Errors "
       "cannot "
       "be suppressed at all. Ids of other tools are left alone.",
       R"(app.get("/", {.docs = {.summary = "List"}}, list);  // NOLINT(missing-docs-summary))"},
  };
  return kRows;
}

}  // namespace fairway::diagnostics
