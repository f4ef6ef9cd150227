// The rules about paths, schemas and options, and the functions that check them. Each function is
// in a separate file that is named after the id of its rule.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/application.hpp"
#include "model/parsed_file.hpp"
#include "options/option_constraints.hpp"
#include "rules/reporter.hpp"
#include "schema/node.hpp"
#include "schema/route_path.hpp"

namespace fairway::rules {

using model::Rule;
using model::Severity;

// NOLINTBEGIN(readability-identifier-naming): rules have the names of their diagnostics.
inline constexpr Rule bad_route_path{
    "bad-route-path", Severity::error,
    "a path must consist of static segments and ':name' parameters, with at most one wildcard ('*' "
    "or '*name'), at the end",
    "A parameter must have a name that is unique in the path. A wildcard must be the whole last "
    "segment. Static segments must consist of characters that need no percent-encoding in a URL "
    "path. Empty segments never match a request.",
    R"(app.get("/files/*rest/info", info);)"};

inline constexpr Rule bad_schema{
    "bad-schema", Severity::error,
    "a schema must be a string of the schema language with a known type",
    "Types are string, number, integer, boolean, enum, array, object, any, null and the string "
    "formats, such as email and uuid; ranges are written ':1-50', ':3', ':3-' or ':-5'; a trailing "
    "'?' makes a field optional. A pattern is in the syntax that RE2, which the program uses, and "
    "ECMAScript share, because clients and tools read it in the OpenAPI document. Path parameters "
    "and cookies have one value each and cannot be arrays.",
    R"(.validate = {.body = {{"name", "string:50-1"}}})"};

inline constexpr Rule same_cpp_name{
    "same-cpp-name", Severity::error,
    "the values of an enum, the fields of an object, and operation ids must have different names "
    "in C++",
    "Each value is an enumerator and each field a member of the generated types. Their names have "
    "one '_' for all characters that an identifier cannot contain, so that 'a b' and 'a-b' are "
    "both 'a_b'. The types of nested objects and enums are named after their fields, and types of "
    "routes after their operation ids: 'get-user' and 'getUser' are both 'GetUser'.",
    R"(.query = {{"sort", "enum:name,date,created at,created-at"}})"};

inline constexpr Rule unknown_path_parameter{
    "unknown-path-parameter", Severity::error, "'validate.param' must name parameters of the path",
    "A parameter that is not in the path never has a value: if it is required, every request "
    "fails.",
    R"(app.get("/:id", {.validate = {.param = {{"userId", "uuid"}}}}, show);)"};

inline constexpr Rule bad_response_selector{"bad-response-selector", Severity::error,
                                            "a response selector must be a status (\"201\"), a "
                                            "family (\"2xx\") or \"default\", and be declared once",
                                            "The status of a response selects its schema: the "
                                            "exact status, then the family, then the default.",
                                            R"(.responses = {{"20x", {{"id", "uuid"}}}})"};

inline constexpr Rule bad_json_schema{
    "bad-json-schema", Severity::error, "the argument of fw::json_schema must be a JSON Schema",
    "The string must be a JSON object (or true or false) whose keywords have values of the right "
    "type. A '$ref' must lead to a schema within the same string: by a JSON pointer from its top "
    "(\"#/$defs/item\") or by an '$anchor' (\"#item\"). Therefore only the top may have an '$id', "
    "which does not become part of the OpenAPI document. Patterns must be regular expressions of "
    "ECMAScript. The names in 'patternProperties' are also matched by the program, with RE2, which "
    "has no look-around and no back-references.",
    R"example(.responses = {{"200", fw::json_schema(R"({"type": "strin"})")}})example"};

inline constexpr Rule duplicate_response_schema{
    "duplicate-response-schema", Severity::error,
    "a selector must not have a schema both in 'responses' and in 'docs.responses'",
    "Two schemas for one response can differ, and responses are validated only against "
    "'responses'. Keep the schema there; 'docs.responses' still takes description, examples and "
    "headers.",
    R"(.responses = {{"200", {{"id", "uuid"}}}},
.docs = {.responses = {{"200", {.schema = {{"id", "string"}}}}}})"};

inline constexpr Rule conflicting_options{
    "conflicting-options", Severity::error,
    "options must not contradict each other or have values that are not allowed",
    "Some options allow certain values only, or exclude one another: 'csrf' and 'security_headers' "
    "can only be false, deadlines and intervals are positive, 'frontend.static_params' needs mode "
    "\"static\". The message names the options.",
    R"(.override_ = {.timeout = 0})"};

inline constexpr Rule bad_stream{
    "bad-stream", Severity::error,
    "a stream must be the only success response with data, have the status 200, and name each of "
    "its events once",
    "'fw::events' and 'fw::lines' in 'responses' declare what a stream consists of. Clients "
    "connect "
    "again to a stream of events, and browsers accept only the status 200 for that. Therefore the "
    "clients of such a route are made for the stream, and other data needs a route of its own.",
    R"(app.get("/live", {.responses = {{"201", fw::events({{"created", {{"id", "integer"}}}})}}}, live);)"};

inline constexpr Rule bad_socket{
    "bad-socket", Severity::error,
    "a socket must declare its messages: each direction names each of them once, and each is an "
    "object without a member 'type'",
    "A message is an object whose member 'type' is its name. A message of both directions has one "
    "struct in C++, and so the same members in both. The message 'error' is sent by the framework.",
    R"(app.socket("/rooms/:id", {.receive = {{"say", {{"type", "string"}}}}}, join);)"};

inline constexpr Rule not_a_tool{
    "not-a-tool", Severity::error,
    "a route with 'mcp' must have one request and one response that a tool can have",
    "An agent calls a tool with arguments in JSON and waits for one result. Sockets, streams, "
    "pages "
    "and uploads have none, and a route that is not in the document has no schemas for the list of "
    "tools. The name of the tool is the operation id: at most 64 letters, digits, '_' and '-'.",
    R"example(app.get("/live", {.responses = {{"200", fw::events({{"tick", {{"n", "integer"}}}})}}, .mcp = true}, live);)example"};

inline constexpr Rule unknown_middleware{
    "unknown-middleware", Severity::error,
    "a referenced middleware must be a file in middlewares/ or be declared with --middleware",
    "The name of a middleware is the path of its file below middlewares/, without the extension. A "
    "middleware that the program registers itself must be declared with 'fairway build "
    "--middleware NAME'.",
    R"(.middlewares = {"audit-logg"})"};

inline constexpr Rule missing_types_header{
    "missing-types-header", Severity::error,
    "a file that uses the types of a route file must include their header",
    "The build generates a header for each route file. It has the same path below routes/, with "
    "the extension '.routes.hpp': the types of src/routes/api/users.cpp are declared in "
    "\"api/users.routes.hpp\".",
    R"(#include <fairway/fairway.hpp>
#include "missing-types.routes.hpp")"};

inline constexpr Rule unknown_route_type{
    "unknown-route-type", Severity::error,
    "a type named in 'routes::' must be one that is generated for a route",
    "The types of a route are named after the path of its file, its operation id and the part of "
    "the request or response that they describe: routes::users::CreateUser::Body. Only parts with "
    "a schema have a type.",
    R"(const auto body = req.valid<routes::unknown_route_type::CreateUsr::Body>();)"};

inline constexpr Rule type_of_another_route{
    "type-of-another-route", Severity::error,
    "a handler must read its request with the types of its own route",
    "A request is validated with the schemas of its route. The types of another route describe "
    "other data: reading the request as such a type fails or leaves members empty.",
    R"(app.put("/:id", {.validate = {.body = {{"name", "string"}}}, .docs = {.operation_id = "renameUser"}},
        [](fw::Request& req, fw::Response& res) {
          const auto body = req.valid<routes::type_of_another_route::AddUser::Body>();)"};

inline constexpr Rule kRouteRules[] = {bad_route_path,
                                       bad_schema,
                                       same_cpp_name,
                                       unknown_path_parameter,
                                       bad_response_selector,
                                       bad_json_schema,
                                       duplicate_response_schema,
                                       conflicting_options,
                                       bad_stream,
                                       bad_socket,
                                       not_a_tool,
                                       unknown_middleware,
                                       missing_types_header,
                                       unknown_route_type,
                                       type_of_another_route};
// NOLINTEND(readability-identifier-naming)

// bad_route_path.cpp

/// The final path of a registration, or nothing after reporting why there is none. `subpath` is the
/// path as registered, `path` the final path.
std::optional<fw::schema::RoutePath> checked_path(std::string_view prefix,
                                                  const model::Value& subpath,
                                                  std::string_view path, Reporter& reporter);

/// Whether a file's prefix is a valid beginning of a path. Otherwise reports an error at `range`.
bool check_prefix(std::string_view prefix, const model::Range& range, Reporter& reporter);

// unknown_path_parameter.cpp

/// `fields` is the SchemaMap of `validate.param`, `names` the parameters of the final path.
void check_path_parameters(const model::Value& fields, const std::vector<std::string>& names,
                           Reporter& reporter);
/// The help for a name that is not one of the parameters of the path.
std::string parameters_help(const std::vector<std::string>& names, std::string_view name);

// bad_schema.cpp

/// A string of the schema language.
fw::schema::Node parsed_text(const model::Value& text, Reporter& reporter);

/// One field: a string, a field builder, a nested object, `array_of` or `optional`. Anything else
/// is reported, and the result is a schema that accepts any value.
fw::schema::Node declared_field(const model::Value& value, Reporter& reporter);

/// The fields of a SchemaMap, as an object. `location` is the member of `validate` that declares
/// them, or empty for a nested object. Names of header fields are case-insensitive (RFC 9110, 5.1).
fw::schema::Node declared_fields(const model::Value& fields, Reporter& reporter,
                                 std::string_view location = {});

// type_checks.cpp

/// A part of the request that both the options and the handler's parameters declare.
void check_conflicting_schemas(const model::Registration& registration, Reporter& reporter);

// response_mismatch.cpp

/// The statuses that a handler sets, and with which its result is not sent.
void check_left_status(const model::Registration& registration, Reporter& reporter);
/// The responses whose types can never satisfy the declared schemas.
void check_sent_responses(const model::Route& route, Reporter& reporter);

// type_checks.cpp

/// `req.valid<T>(location)` of another type than the route declares: such a call always throws.
void check_typed_reads(const model::Registration& registration, const model::Route& route,
                       Reporter& reporter);

/// `fw::type<T>` as a part of the request or a message that is received, if T is or contains a
/// generated struct.
void check_generated_inputs(const model::Registration& registration,
                            const std::vector<model::UsedType>& types, Reporter& reporter);

/// The members of `fw::Param<T>` that are not parameters of the path.
void check_typed_parameters(const model::Registration& registration, const model::Route& route,
                            const std::vector<std::string>& names, Reporter& reporter);

// same_cpp_name.cpp

/// `text` is a string of the schema language, `node` its schema.
void check_enumerators(const model::Value& text, const fw::schema::Node& node, Reporter& reporter);

/// `names` are the names of the fields of `object`, which is declared in `location`; see
/// `declared_fields`.
void check_members(const std::vector<const model::Value*>& names, const fw::schema::Node& object,
                   std::string_view location, Reporter& reporter);

// bad_json_schema.cpp

/// An error in a JSON value: a message such as "must be a string", and the JSON pointer of the
/// value.
struct JsonError {
  std::string pointer;
  std::string message;
};

/// "'/type' must be …", or "it must be …" for the whole value.
std::string schema_error_text(const JsonError& error);

/// The first keyword of a JSON Schema 2020-12 whose value is invalid: the keywords of a schema in
/// their order, before the keywords of nested schemas. References are not followed. `pointer` is
/// the JSON pointer of the schema itself.
std::optional<JsonError> find_schema_error(const model::Json& schema, const std::string& pointer);

/// Reports a string of `fw::json_schema` that is not a JSON Schema.
void check_json_schema(const model::Value& text, Reporter& reporter);

// pattern_syntax.cpp: The syntax of regular expressions in JSON Schemas.

enum class PatternUse {
  client,  ///< only clients and tools use it, by the rules of ECMAScript
  shared,  ///< the program does, too, with RE2: both must read it in the same way
};

struct PatternError {
  std::string message;  ///< "a ')' is missing"
  std::string help;     ///< what ECMAScript writes instead; may be empty
  std::size_t offset = 0;
  std::size_t length = 0;  ///< 0: a character is missing at the end
};

/// What is wrong with a regular expression of ECMAScript. Unescaped braces and brackets that have
/// no meaning are allowed, as in browsers. Of a shared one, RE2 has accepted the syntax.
std::optional<PatternError> pattern_error(std::string_view pattern, PatternUse use);

// bad_response_selector.cpp

/// Reports the invalid and the repeated selectors of a named list: `responses` or `docs.responses`.
void check_response_selectors(const model::Value& responses, Reporter& reporter);

// duplicate_response_schema.cpp

void check_duplicate_response_schemas(const model::Value& options, const model::Route& route,
                                      Reporter& reporter);

// bad_stream.cpp

/// Whether a schema is `fw::events` or `fw::lines`.
bool is_stream(const model::Value& schema);

/// Reports the name of what is sent, such as "an event", if it is empty or cannot be sent. `help`
/// is for an empty one.
void check_sent_name(const model::Value& name, const Rule& rule, std::string_view noun,
                     std::string help, Reporter& reporter);

/// The responses of a route that are streams, with the schemas of their events, and the options
/// that do not apply to them.
void check_streams(const model::Value& options, const model::Route& route, Reporter& reporter);

// bad_socket.cpp

/// The messages of a socket, and those that its handler names. The options of the registration have
/// been resolved.
void check_socket(const model::Registration& registration, const model::Route& route,
                  Reporter& reporter);

// not_a_tool.cpp

/// Whether a route with `mcp` can be a tool.
void check_tool(const model::Value& options, const model::Route& route, Reporter& reporter);

// conflicting_options.cpp

/// Reports violations in `options`, the RouteOptions record as written.
void report_violations(const std::vector<fw::options::Violation>& violations, const Rule& rule,
                       const model::Value& options, Reporter& reporter);

/// The constraints on single options and on combinations of options. `parameters` are the names of
/// the path parameters.
void check_option_constraints(const model::Value& options, const model::Route& route,
                              const std::vector<std::string>& parameters, Reporter& reporter);

// option_rules.cpp

/// The schema of a response or of an event. A stream is reported: it is the value of a selector of
/// `responses` only.
void check_response_schema(const model::Value& value, Reporter& reporter);

/// All options of a registration, as written and as resolved. `parameters` are the names of the
/// path parameters.
void check_options(const model::Value& options, const std::vector<std::string>& parameters,
                   const model::Route& route, Reporter& reporter);

// unknown_middleware.cpp

void check_middlewares(const model::Route& route, const std::set<std::string>& known,
                       Reporter& reporter);

}  // namespace fairway::rules
