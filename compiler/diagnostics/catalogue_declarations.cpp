#include "diagnostics/catalogue_rows.hpp"

namespace fairway::diagnostics {

std::span<const Rule> declaration_rules() {
  using enum model::Severity;
  static constexpr Rule kRows[] = {
      {"bad-route-path", error,
       "a path must consist of static segments, ':name' parameters and at most a last wildcard '*' "
       "or "
       "'*name'",
       "Parameters have a name, unique in the whole path; a wildcard is a segment of its own and "
       "the last one; static parts have the characters that a URL path carries unencoded. Empty "
       "segments never match a request.",
       R"(app.get("/files/*rest/info", info);)"},
      {"bad-schema", error, "a schema must be a string of the schema language with a known type",
       "Types are string, number, integer, boolean, email, url, date, datetime, time, uuid, ipv4, "
       "ipv6, hostname, enum, array, object, any and null; ranges are written ':1-50', ':3', ':3-' "
       "or ':-5'; a last '?' makes a field optional. Path parameters and cookies have one value "
       "each and "
       "cannot be arrays.",
       R"(.validate = {.body = {{"name", "string:50-1"}}})"},
      {"unknown-path-parameter", error, "'validate.param' must name parameters of the path",
       "A parameter that the path lacks is never present, so every request would fail.",
       R"(app.get("/:id", {.validate = {.param = {{"userId", "uuid"}}}}, show);)"},
      {"bad-response-selector", error,
       "a response selector must be a status (\"201\"), a family (\"2xx\") or \"default\", each "
       "only once",
       "The status of a response selects its schema: the exact status, then the family, then the "
       "default.",
       R"(.responses = {{"20x", {{"id", "uuid"}}}})"},
      {"bad-json-schema", error, "the argument of fw::json_schema must be a JSON Schema",
       "The string is a JSON object (or true or false) whose keywords have values "
       "of the right kind. The names in 'patternProperties' are regular expressions without "
       "look-around and back-references (the syntax of RE2).",
       R"example(.responses = {{"200", fw::json_schema(R"({"type": "strin"})")}})example"},
      {"duplicate-response-schema", error,
       "a selector must not have a schema both in 'responses' and in 'docs.responses'",
       "Two schemas for one response can differ, and only 'responses' is validated against. Keep "
       "the schema there; 'docs.responses' still takes description, examples and headers.",
       R"(.responses = {{"200", {{"id", "uuid"}}}},
.docs = {.responses = {{"200", {.schema = {{{"id", "string"}}}}}}})"},
      {"conflicting-options", error,
       "options must not contradict each other or have values that are not allowed",
       "Some options allow certain values only, or exclude one another: 'csrf' and "
       "'security_headers' can only be false, deadlines and intervals are positive, "
       "'frontend.static_params' needs mode \"static\". The message names the options.",
       R"(.override_ = {.timeout = 0})"},
      {"unsupported-option", error, "a route must not ask for an option that is not implemented",
       "Some options are part of fw::RouteOptions already, so that declarations keep compiling, "
       "but "
       "this version of the runtime would ignore them. A route that asks for one is rejected, by "
       "the "
       "compiler and at the start of the application. A value that switches the option off is "
       "accepted.",
       R"(app.get("/", {.frontend = {.page = "home"}}, list);)"},
      {"unknown-middleware", error,
       "a referenced middleware must be a file of middlewares/ or be declared to the build",
       "The name of a middleware is the name of its file without the ending. Middlewares that the "
       "program brings in another way are declared with 'fairway build --middleware NAME'.",
       R"(.middlewares = {"audit-logg"})"},
      {"missing-types-header", error,
       "a file that uses the types of a route file must include their header",
       "The types of src/routes/api/users.cpp are declared in \"api/users.routes.hpp\", which the "
       "build generates: the path below routes/ with another ending.",
       R"(#include <fairway/fairway.hpp>
#include "missing-types.routes.hpp")"},
      {"unknown-route-type", error, "a generated type must be the type of a route",
       "The types of a route are named after the path of its file, its operation id and the part "
       "of the request or response that they describe: routes::users::CreateUser::Body. Only parts "
       "with a schema have one.",
       R"(const auto body = req.valid<routes::unknown_route_type::CreateUsr::Body>();)"},
      {"type-of-another-route", error, "a handler must read its request as types of its own route",
       "A request is validated by the schemas of its route. The types of another route describe "
       "what was not checked: reading them fails, or leaves members empty.",
       R"(app.put("/:id", {.validate = {.body = {{"name", "string"}}}, .docs = {.operation_id = "renameUser"}},
        [](fw::Request& req, fw::Response& res) {
          const auto body = req.valid<routes::type_of_another_route::AddUser::Body>();)"},
  };
  return kRows;
}

}  // namespace fairway::diagnostics
