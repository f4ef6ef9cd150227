#include "diagnostics/catalogue_rows.hpp"

namespace fairway::diagnostics {

std::span<const Rule> lint_rules() {
  using enum model::Severity;
  static constexpr Rule kRows[] = {
      {"missing-docs-summary", warning, "a documented route has a summary",
       "The summary is the line that a reader of the API documentation sees first.",
       R"(app.get("/", list);)"},
      {"auto-operation-id", warning, "an operation id is written, not inferred",
       "An inferred id changes with the path, and with it the names in generated clients.",
       R"(app.get("/users/:id/orders", orders);   // getUsersByIdOrders)"},
      {"undeclared-input", warning, "a handler reads declared input only",
       "A parameter, query key, header or body field without a schema is neither checked nor "
       "documented.",
       R"(app.get("/", [](fw::Request& req, fw::Response& res) { res.json(req.query("page")); });)"},
      {"shadowed-route", warning, "a route is not hidden by a more specific one",
       "Static segments go before parameters and parameters before wildcards; a route all of whose "
       "requests another route answers is dead.",
       R"(app.get("/:name.:ext", file);
app.get("/:name.json", never);)"},
      {"missing-response-schema", warning, "a route declares the schema of its answer",
       "Without one the answer is neither cleaned nor documented, and clients get no type.",
       R"(app.get("/", {.docs = {.summary = "List"}}, list);)"},
      {"body-on-get", warning, "a GET or HEAD route declares no body",
       "Bodies of GET and HEAD requests are not parsed, so validation of one always fails.",
       R"(app.get("/", {.validate = {.body = {{"q", "string"}}}}, search);)"},
      {"cache-on-unsafe-method", warning, "only GET and HEAD routes are cached",
       "Caching the answer of a method that changes something hides the change.",
       R"(app.post("/", {.cache = 5000}, create);)"},
      {"auth-differs-from-siblings", warning, "the routes of a file agree about 'auth'",
       "A single unguarded route among guarded ones is more often an oversight than a decision. "
       "Write 'auth = false' where it is one.",
       R"(app.get("/", {.auth = true}, list);
app.del("/:id", remove);)"},
      {"unused-suppression", warning, "a NOLINT comment silences something",
       "A comment that has nothing to silence any more hides the next fault of that kind. Errors "
       "cannot be silenced at all. Ids of other tools are left alone.",
       R"(app.get("/", {.docs = {.summary = "List"}}, list);  // NOLINT(missing-docs-summary))"},
  };
  return kRows;
}

}  // namespace fairway::diagnostics
