#include "diagnostics/catalogue_rows.hpp"

namespace fairway::diagnostics {

std::span<const Rule> declaration_rules() {
  using enum model::Severity;
  static constexpr Rule kRows[] = {
      {"bad-route-path", error,
       "a path has static segments, ':name' parameters and a last wildcard '*' or '*name'",
       "Parameters have a name, unique in the whole path; a wildcard is a segment of its own and "
       "the last one; static parts have the characters that a URL path carries unencoded. Empty "
       "segments never match a request.",
       R"(app.get("/files/*rest/info", info);)"},
      {"bad-schema", error, "a schema is a text of the schema language, with a known type",
       "Types are string, number, integer, boolean, email, url, date, datetime, time, uuid, ipv4, "
       "ipv6, hostname, enum, array, object, any and null; ranges are written ':1-50', ':3', ':3-' "
       "or ':-5'; a last '?' makes a field optional.",
       R"(.validate = {.body = {{"name", "string:50-1"}}})"},
      {"unknown-path-parameter", error, "'validate.param' names parameters that the path has",
       "A parameter that the path lacks is never present, so every request would fail.",
       R"(app.get("/:id", {.validate = {.param = {{"userId", "uuid"}}}}, show);)"},
      {"bad-response-selector", error,
       "a response selector is a status (\"201\"), a family (\"2xx\") or \"default\", once each",
       "The status of an answer selects its schema: the exact status, then the family, then the "
       "default.",
       R"(.responses = {{"20x", {{"id", "uuid"}}}})"},
      {"bad-json-schema", error, "a JSON Schema text is JSON and a schema",
       "The text of fw::json_schema is a JSON object (or true or false) whose keywords have values "
       "of the right kind.",
       R"example(.responses = {{"200", fw::json_schema(R"({"type": "strin"})")}})example"},
      {"duplicate-response-schema", error,
       "a selector has its schema in 'responses' or in 'docs.responses', not in both",
       "Two schemas for one answer can differ, and only 'responses' is held against the data. Keep "
       "the schema there; 'docs.responses' still takes description, examples and headers.",
       R"(.responses = {{"200", {{"id", "uuid"}}}},
.docs = {.responses = {{"200", {.schema = {{{"id", "string"}}}}}}})"},
      {"conflicting-options", error, "options keep the constraints that the reference sets",
       "Some options allow certain values only, or exclude one another: 'csrf' and "
       "'security_headers' can only be false, deadlines and intervals are positive, "
       "'frontend.static_params' needs mode \"static\". The message names the options.",
       R"(.frontend = {.page = "users", .mode = "static", .revalidate = 60})"},
      {"unknown-middleware", error,
       "a referenced middleware is a file of middlewares/ or declared to the build",
       "The name of a middleware is the name of its file without the ending. Middlewares that the "
       "program brings in another way are declared with 'fairway build --middleware NAME'.",
       R"(.middlewares = {"audit-logg"})"},
  };
  return kRows;
}

}  // namespace fairway::diagnostics
