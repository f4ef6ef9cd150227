#include "mcp/tools.hpp"

#include <array>
#include <utility>

#include "base/methods.hpp"
#include "contract_test/schema_check.hpp"
#include "diff/document.hpp"

namespace fairway::mcp {
namespace {

Json text(std::string_view description) {
  return {{"type", "string"}, {"description", description}};
}

Json of_type(const char* type) { return {{"type", type}}; }

/// An object with these members and no others. All but `optional` ones are required.
Json object_of(Json members, const Json& required = Json::array()) {
  Json schema = {{"type", "object"}, {"properties", std::move(members)}};
  if (schema["properties"].is_null()) schema["properties"] = Json::object();
  if (!required.empty()) schema["required"] = required;
  schema["additionalProperties"] = false;
  return schema;
}

/// An object that has at least these members.
Json result_with(Json members) {
  Json required = Json::array();
  for (const auto& [name, schema] : members.items()) required.push_back(name);
  return {{"type", "object"}, {"properties", std::move(members)}, {"required", required}};
}

Json method_schema(std::string_view description) {
  Json methods = Json::array();
  for (const std::string_view method : fw::base::kMethods) methods.push_back(method);
  return {{"type", "string"}, {"enum", methods}, {"description", description}};
}

Tool routes_tool() {
  return {.name = "routes",
          .title = "Routes",
          .description =
              "Lists the routes of the Fairway application in this project, resolved from its "
              "sources: method, path, file and line, operation id, middlewares, authentication, "
              "responses. Without arguments, all routes. Fails while the routes have errors.",
          .input = object_of(
              {{"path", text("Only routes whose path contains this text, and those that serve this "
                             "path: '/orders', or '/orders/7'.")},
               {"method", method_schema("Only routes of this method.")}}),
          .output = result_with({{"version", of_type("integer")}, {"routes", of_type("array")}})};
}

Tool diagnostics_tool() {
  return {
      .name = "diagnostics",
      .title = "Errors and warnings",
      .description =
          "Checks all route files, the configuration and the locale files of the project as they "
          "are now on disk, without a build. Each finding has a file, a line, a message, the id "
          "of its rule, often a 'help' that says what to write instead, and 'fixes' that are "
          "safe. Call it after each change of a route.",
      .input = object_of({{"file", text("Only findings in files whose path contains this text.")},
                          {"severity",
                           {{"type", "string"},
                            {"enum", {"error", "warning"}},
                            {"description", "Only findings of this severity."}}}}),
      .output = result_with({{"version", of_type("integer")},
                             {"ok", of_type("boolean")},
                             {"summary", of_type("object")},
                             {"diagnostics", of_type("array")}})};
}

Tool explain_tool() {
  return {.name = "explain",
          .title = "Explain a rule",
          .description =
              "Explains a rule by the id that a finding of 'diagnostics' has: the reason, the "
              "remedy, and an example that violates it.",
          .input = object_of({{"rule", text("The id of the rule, such as 'duplicate-route'.")}},
                             Json::array({"rule"})),
          .output = result_with({{"id", of_type("string")},
                                 {"severity", of_type("string")},
                                 {"rule", of_type("string")},
                                 {"explanation", of_type("string")},
                                 {"example", of_type("string")}})};
}

Tool openapi_tool() {
  return {.name = "openapi",
          .title = "OpenAPI",
          .description =
              "Shows one operation or one schema of the application's OpenAPI document, with the "
              "components that it refers to. Without arguments, lists the operations and the names "
              "of the schemas. Fails while the routes have errors.",
          .input = object_of(
              {{"operation", text("An operation id, or a method and a path: 'GET /orders/{id}'.")},
               {"schema", text("The name of a schema in the components of the document.")}}),
          .output = of_type("object")};
}

Tool requests_tool() {
  return {
      .name = "requests",
      .title = "Last requests",
      .description =
          "Lists the last requests that the running program has handled, the latest first: "
          "method, target, status, route, time, duration in milliseconds, trace, and the id for "
          "'trace'. Only if the program runs in 'fairway dev', which keeps 500 of them.",
      .input = object_of(
          {{"errors",
            {{"type", "boolean"},
             {"description", "Only requests with a status from 400 on, or without a response."}}},
           {"route", text("Only requests whose route or target contains this text.")},
           {"trace", text("Only requests of the trace with this id.")},
           {"limit",
            {{"type", "integer"},
             {"minimum", 1},
             {"maximum", 100},
             {"description", "How many are listed; 20 by default."}}}}),
      .output = result_with({{"total", of_type("integer")}, {"requests", of_type("array")}})};
}

Tool trace_tool() {
  return {.name = "trace",
          .title = "Trace of a request",
          .description =
              "Shows where the time of a request went: the spans of the program, with their "
              "attributes; and the header fields and bodies of the request and its response, in "
              "which secrets are replaced by '***'. Only in 'fairway dev'.",
          .input = object_of({{"id",
                               {{"type", "integer"},
                                {"minimum", 1},
                                {"description", "The id of a row of 'requests'."}}}},
                             Json::array({"id"})),
          .output = result_with({{"id", of_type("integer")},
                                 {"trace", of_type("string")},
                                 {"request", of_type("object")},
                                 {"spans", of_type("array")}})};
}

Tool call_tool() {
  return {
      .name = "call",
      .title = "Send a request",
      .description =
          "Sends one request to the running program and returns the response, whatever its status. "
          "There must be a route with this method and path. No credentials, cookies or other "
          "headers are added, and redirects are not followed. The body of a long response is cut; "
          "of a stream, only the head is returned.",
      .reads_only = false,
      .input = object_of(
          {{"method", method_schema("The method.")},
           {"path", text("The path, and the query if there is one: '/orders/7?fields=id'. "
                         "Percent-encoded.")},
           {"headers",
            {{"type", "object"},
             {"additionalProperties", of_type("string")},
             {"description", "Header fields, by name."}}},
           {"body",
            {{"description",
              "A string is sent as it is. Any other value is sent as JSON, with the Content-Type "
              "application/json unless 'headers' has another one."}}}},
          Json::array({"method", "path"})),
      .output = result_with({{"status", of_type("integer")},
                             {"headers", of_type("array")},
                             {"body", of_type("string")},
                             {"body_is_complete", of_type("boolean")},
                             {"body_is_text", of_type("boolean")}})};
}

}  // namespace

std::span<const Tool> tools() {
  static const std::array<Tool, 7> kTools = {routes_tool(),  diagnostics_tool(), explain_tool(),
                                             openapi_tool(), requests_tool(),    trace_tool(),
                                             call_tool()};
  return kTools;
}

std::span<const Tool> tools_without_program() {
  constexpr std::size_t kOfProgram = 3;
  return tools().first(tools().size() - kOfProgram);
}

Json to_json(const Tool& tool) {
  Json json = {{"name", tool.name},
               {"title", tool.title},
               {"description", tool.description},
               {"inputSchema", tool.input},
               {"outputSchema", tool.output},
               {"annotations", {{"readOnlyHint", tool.reads_only}}}};
  // A request to the application may do anything.
  if (!tool.reads_only) json["annotations"]["destructiveHint"] = true;
  json["annotations"]["openWorldHint"] = !tool.reads_only;
  return json;
}

std::string argument_error(const Tool& tool, const Json& arguments) {
  const diff::Document no_document("the schema of a tool", Json::object());
  const auto mismatch = contract_test::SchemaChecker(no_document).check(arguments, tool.input);
  return mismatch ? mismatch->text() : std::string();
}

Json result_of(Json structured) {
  std::string text = structured.dump(-1, ' ', false, Json::error_handler_t::replace);
  return {{"content", Json::array({{{"type", "text"}, {"text", std::move(text)}}})},
          {"structuredContent", std::move(structured)},
          {"isError", false}};
}

Json error_result(std::string_view message) {
  return {{"content", Json::array({{{"type", "text"}, {"text", message}}})}, {"isError", true}};
}

}  // namespace fairway::mcp
