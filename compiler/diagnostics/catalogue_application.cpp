#include "diagnostics/catalogue_rows.hpp"

namespace fairway::diagnostics {

std::span<const Rule> application_rules() {
  using enum model::Severity;
  static constexpr Rule kRows[] = {
      {"duplicate-route", error, "a method and path must be registered only once",
       "Letter case and trailing slashes make no difference, and neither does the file: of two "
       "equal routes one would never be reached.",
       R"(app.get("/list", list);
app.get("/List/", list_all);)"},
      {"ambiguous-route", error, "two routes of a method must differ in more than parameter names",
       "/users/:id and /users/:name match the same requests, so one of them would never be "
       "reached. Give one a static segment, or merge the handlers.",
       R"(app.get("/:id", by_id);
app.get("/:name", by_name);)"},
      {"duplicate-operation-id", error, "an operation id must be unique in the application",
       "Written and inferred ids share one namespace: generated clients name their functions "
       "after them. Write 'docs.operation_id' for one of the two routes.",
       R"(app.get("/users-list", list);
app.get("/users/list", list_all);)"},
      {"openapi-invalid", error, "the emitted document must be valid OpenAPI",
       "The strings and objects of 'docs' are copied into the document: the names of extensions "
       "must "
       "begin with 'x-', 'docs.request_body' must be a request body as OpenAPI defines it with "
       "valid "
       "schemas, and a media type must be written 'type/subtype'.",
       R"(.docs = {.extensions = {{"internal", true}}})"},
  };
  return kRows;
}

}  // namespace fairway::diagnostics
