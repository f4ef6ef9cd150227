// The lints: their rules, and the functions that look for them, each in a file of its own, named
// after its id.
#pragma once

#include <string>
#include <vector>

#include "check/linted_route.hpp"
#include "check/reporter.hpp"
#include "model/application.hpp"
#include "model/diagnostic.hpp"

namespace fairway::rules {

using model::Rule;
using model::Severity;

inline constexpr Rule missing_docs_summary{"missing-docs-summary", Severity::warning,
                                           "a documented route should have a summary",
                                           "The summary is the line that a reader of the API "
                                           "documentation sees first. Hidden routes need none.",
                                           R"(app.get("/", list);)"};

inline constexpr Rule auto_operation_id{
    "auto-operation-id", Severity::warning, "an operation id should be written, not inferred",
    "An inferred id changes with the path, and with it the names in generated clients. Hidden "
    "routes need no id, and routes that several files bring by re-export cannot share one.",
    R"(app.get("/users/:id/orders", orders);)"};

inline constexpr Rule undeclared_input{
    "undeclared-input", Severity::warning, "a handler should read declared input only",
    "A parameter, query key, header, cookie or body field without a schema is neither checked nor "
    "documented. Headers that every client or proxy sends, and parameters of the path, need none.",
    R"(app.get("/", [](fw::Request& req, fw::Response& res) { res.json(req.query("page")); });)"};

inline constexpr Rule shadowed_route{
    "shadowed-route", Severity::warning, "every route should be reachable by some request",
    "In each segment literals go before parameters and parameters before wildcards. A wildcard is "
    "never reached when one route matches the path before it and another one every longer path.",
    R"(app.get("/files", list);
app.get("/files/:folder/*path", read_file);
app.get("/files/*", never);)"};

inline constexpr Rule missing_response_schema{
    "missing-response-schema", Severity::warning,
    "a route should declare the schema of its response",
    "Without one the response is neither stripped of undeclared fields nor documented, and clients "
    "get no type. Handlers that send no JSON need none; where that cannot be seen, declare the "
    "response by its status or media type in 'docs.responses'.",
    R"(app.get("/",
        {.docs = {.summary = "List"}},
        [](fw::Request&, fw::Response& res) { res.json(1); });)"};

inline constexpr Rule undeclared_status{
    "undeclared-status", Severity::warning, "a route should declare every status that it sends",
    "A response whose status no selector of 'responses' matches is sent unchecked and is not "
    "documented, while others of the route are. A selector is a status, a family such as \"4xx\", "
    "or \"default\".",
    R"(app.get("/:id",
        {.responses = {{"200", {{"id", "uuid"}}}}},
        [](fw::Request&, fw::Response& res) { res.status(404).json({{"error", "no user"}}); });)"};

inline constexpr Rule body_on_get{
    "body-on-get", Severity::warning, "a GET, HEAD or OPTIONS route should not declare a body",
    "Bodies of these requests are not parsed: a schema with required fields rejects every request.",
    R"(app.get("/", {.validate = {.body = {{"q", "string"}}}}, search);)"};

inline constexpr Rule object_in_parameters{
    "object-in-parameters", Severity::warning,
    "path parameters, queries, headers and cookies should not declare objects",
    "Their values are strings, and no notation for objects is defined: an object, or an array of "
    "objects, is rejected with status 422 whatever the client sends.",
    R"(app.get("/", {.validate = {.query = {{"filter", {{"from", "date"}}}}}}, search);)"};

inline constexpr Rule cache_on_unsafe_method{
    "cache-on-unsafe-method", Severity::warning, "only routes that change nothing should be cached",
    "Without 'cache.methods' nothing but GET and HEAD is cached, and 'cache' has no effect. With "
    "it, a cached response hides that a request changed nothing this time.",
    R"(app.post("/", {.cache = 5000}, create);)"};

inline constexpr Rule auth_differs_from_siblings{
    "auth-differs-from-siblings", Severity::warning,
    "an unguarded route among guarded ones should say so",
    "An unguarded route in a file most of whose routes are guarded is more often an oversight than "
    "a decision: write 'auth = false' where it is one. Reading routes are compared with guarded "
    "reading routes only.",
    R"(app.get("/", {.auth = true}, list);
app.post("/", {.auth = true}, create);
app.del("/:id", remove_one);)"};

inline constexpr Rule ignored_route_file{
    "ignored-route-file", Severity::warning, "a C++ file below routes/ should end in '.cpp'",
    "Route files end in '.cpp'. A file with another ending of C++ sources ('.cc', '.cxx', '.c++', "
    "'.C') serves nothing and is easily taken for a route file.",
    R"(routes/ignored-route-file/users.cc)"};

inline constexpr Rule unused_suppression{
    "unused-suppression", Severity::warning, "a NOLINT comment should suppress something",
    "A comment that no longer suppresses anything hides the next defect of that kind. Errors "
    "cannot be suppressed at all. Ids of other tools are left alone.",
    R"(app.get("/", {.docs = {.summary = "List"}}, list);  // NOLINT(missing-docs-summary))"};

}  // namespace fairway::rules

namespace fairway::check {

void lint_missing_docs_summary(const LintedRoute& route, Reporter& reporter);
void lint_auto_operation_id(const LintedRoute& route, Reporter& reporter);
void lint_undeclared_input(const LintedRoute& route, Reporter& reporter);
void lint_missing_response_schema(const LintedRoute& route, Reporter& reporter);
void lint_undeclared_status(const LintedRoute& route, Reporter& reporter);
void lint_body_on_get(const LintedRoute& route, Reporter& reporter);
void lint_object_in_parameters(const LintedRoute& route, Reporter& reporter);
void lint_cache_on_unsafe_method(const LintedRoute& route, Reporter& reporter);
void lint_auth_differs_from_siblings(const LintedFile& file, model::Diagnostics& diagnostics);
void lint_shadowed_routes(const model::Application& application, model::Diagnostics& diagnostics);

/// `files` are the C++ files below routes/ whose names do not end in '.cpp'.
void lint_ignored_route_files(const std::vector<std::string>& files,
                              model::Diagnostics& diagnostics);

/// What `lint` calls for each route, each file or the application.
struct Lint {
  model::Rule rule;
  void (*of_route)(const LintedRoute&, Reporter&) = nullptr;
  void (*of_file)(const LintedFile&, model::Diagnostics&) = nullptr;
  void (*of_application)(const model::Application&, model::Diagnostics&) = nullptr;
};

inline constexpr Lint kLints[] = {
    {rules::missing_docs_summary, lint_missing_docs_summary},
    {rules::auto_operation_id, lint_auto_operation_id},
    {rules::undeclared_input, lint_undeclared_input},
    {rules::shadowed_route, nullptr, nullptr, lint_shadowed_routes},
    {rules::missing_response_schema, lint_missing_response_schema},
    {rules::undeclared_status, lint_undeclared_status},
    {rules::body_on_get, lint_body_on_get},
    {rules::object_in_parameters, lint_object_in_parameters},
    {rules::cache_on_unsafe_method, lint_cache_on_unsafe_method},
    {rules::auth_differs_from_siblings, nullptr, lint_auth_differs_from_siblings},
    {rules::ignored_route_file},
    {rules::unused_suppression},
};

/// The warnings about an application that was resolved from `files` without an error; sorted. The
/// result does not depend on the order of `files`.
model::Diagnostics lint(const model::Application& application,
                        const std::vector<model::ParsedFile>& files);

}  // namespace fairway::check
