// The lints: their rules and their functions, each in a file named after its id.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "diagnostics/source_text.hpp"
#include "model/app_settings.hpp"
#include "model/application.hpp"
#include "model/diagnostic.hpp"
#include "rules/lint_settings.hpp"
#include "rules/linted_route.hpp"
#include "rules/reporter.hpp"

namespace fairway::rules {

using model::Rule;
using model::Severity;

// NOLINTBEGIN(readability-identifier-naming): rules have the names of their diagnostics.
inline constexpr Rule missing_docs_summary{
    "missing-docs-summary",
    Severity::warning,
    "a documented route should have a summary",
    "The summary is the line that a reader of the API documentation sees first. Hidden routes need "
    "no summary.",
    R"(app.get("/", list);)",
    "without 'docs.summary'"};

inline constexpr Rule auto_operation_id{
    "auto-operation-id",
    Severity::warning,
    "a route should have an explicit operation id",
    "An inferred id changes with the path, and so do the names in generated clients. Hidden routes "
    "need no explicit id. Routes that another file re-exports cannot have one, because their "
    "copies would have the same id.",
    R"(app.get("/users/:id/orders", orders);)",
    "with an inferred operation id"};

inline constexpr Rule undeclared_input{
    "undeclared-input", Severity::warning, "a handler should read declared input only",
    "A query key, header, cookie or body field without a schema is neither checked nor documented. "
    "Path parameters are declared by the path itself. Headers that clients or proxies send by "
    "default, or that the framework defines, need no declaration. If the route declares its query, "
    "the names in 'cache.query' are checked, too.",
    R"(app.get("/", [](fw::Request& req, fw::Response& res) { res.json(req.query("page")); });)"};

inline constexpr Rule shadowed_route{
    "shadowed-route", Severity::warning, "every route should be reachable by some request",
    "In each segment, literals take precedence over parameters, and parameters over wildcards. A "
    "wildcard is never reached if one route matches the path without the wildcard and another "
    "route matches all longer paths.",
    R"(app.get("/files", list);
app.get("/files/:folder/*path", read_file);
app.get("/files/*", never);)"};

inline constexpr Rule missing_response_schema{
    "missing-response-schema",
    Severity::warning,
    "a route should declare the schema of its response",
    "Without a schema, undeclared fields are not removed from the response, the response can be "
    "any "
    "JSON in the document, and clients have no type for it. The remedy is to return or send a "
    "struct instead of an fw::Json; its type is the schema. Handlers that send no JSON need none; "
    "if the compiler cannot see that, declare the status or the media type of the response in "
    "'docs.responses'.",
    R"(app.get("/",
        {.docs = {.summary = "List"}},
        [](fw::Request&, fw::Response& res) { res.json({{"id", 1}}); });)",
    "without a schema for their responses"};

inline constexpr Rule handler_does_not_compile{
    "handler-does-not-compile", Severity::warning,
    "the body of a handler should compile with Clang",
    "The document and the clients have the types that a handler sends, and Clang leaves out "
    "statements with errors. 'fairway openapi' and 'fairway client' report this as an error and "
    "write nothing, and so does the tool 'openapi' of 'fairway mcp'. 'fairway build' warns and "
    "continues, so that the C++ compiler reports the error, but existing copies of the document "
    "and of the clients keep their content. Code that only GCC compiles belongs in a function of "
    "another file. Otherwise, a NOLINT comment, or \"off\" in the nearest .fairway.json, accepts "
    "that the document and the clients may lack what the handler sends: they are written, and a "
    "note says so. Errors that may follow from types of generated headers are not reported. The "
    "message is Clang's.",
    R"(app.get("/", [](fw::Request&, fw::Response& res) { res.json(itmes()); });)"};

inline constexpr Rule undeclared_status{
    "undeclared-status", Severity::warning, "a route should declare every status that it sends",
    "A response whose status matches no selector in 'responses' is not validated, and it is "
    "documented only if 'docs.responses' describes it. A selector is a status, a family such as "
    "\"4xx\", or \"default\".",
    R"(app.get("/:id",
        {.responses = {{"200", {{"id", "uuid"}}}}},
        [](fw::Request&, fw::Response& res) { res.status(404).json({{"error", "no user"}}); });)"};

inline constexpr Rule refused_redirect{
    "refused-redirect", Severity::warning, "a redirect should have a status that redirects",
    "'res.redirect' accepts the statuses 301, 302, 307 and 308, and throws for each other one: the "
    "response is a 500, unless the exception is caught. After a POST, browsers follow a 302 with a "
    "GET, as they do after a 303. Statuses that are computed are not checked.",
    R"(app.post("/", [](fw::Request&, fw::Response& res) { res.redirect("/done", 303); });)"};

inline constexpr Rule undeclared_media_type{
    "undeclared-media-type", Severity::warning,
    "a handler should send JSON with the statuses whose JSON 'responses' declares",
    "A schema in 'responses' describes the data of 'res.json'. Text, files, streams and pages are "
    "sent as they are, and the document promises JSON that never comes. A response may have "
    "several forms: a status with which the handler also sends or raises JSON is not reported, and "
    "neither are families of errors and 'default', because the framework sends errors, too. The "
    "same is true of handlers that pass the response to code that is not seen, and of media types "
    "that are computed.",
    R"(app.get("/",
        {.responses = {{"200", {{"id", "uuid"}}}}},
        [](fw::Request&, fw::Response& res) { res.text("7"); });)"};

inline constexpr Rule stream_not_begun{
    "stream-not-begun", Severity::warning,
    "a handler should begin the stream that its route declares",
    "Clients of a route with 'fw::events' or 'fw::lines' wait for a stream. A handler begins it "
    "with "
    "'res.events()' or 'res.lines()', or by returning 'fw::Events' or 'fw::Lines'. Handlers that "
    "pass the response to functions of other files are not checked.",
    R"(app.get("/live",
        {.responses = {{"200", fw::events({{"created", {{"id", "integer"}}}})}}},
        [](fw::Request&, fw::Response&) {});)"};

inline constexpr Rule message_not_handled{
    "message-not-handled", Severity::warning,
    "a socket should handle each message that it receives",
    "A message of 'receive' without a function is validated and dropped: the client never learns "
    "that. Handlers that pass the socket to other functions are not checked.",
    R"(app.socket("/rooms/:id", {.receive = {{"say", {{"text", "string"}}}, {"leave", {}}}},
           [](fw::Request&, fw::Socket& socket) {
             socket.on("say", [](const fw::Json& say) { (void)say; });
           });)"};

inline constexpr Rule undeclared_message{
    "undeclared-message", Severity::warning,
    "a socket should declare the messages that its handler handles and sends",
    "Setting a function for a message that 'receive' does not declare throws, and so does sending "
    "one that 'send' does not declare. Only calls with the name of the message are checked, and "
    "only "
    "if their socket is certainly the handler's own and they are certainly part of the program.",
    R"(app.socket("/rooms/:id", {.receive = {{"say", {{"text", "string"}}}}, .send = {{"said", {}}}},
           [](fw::Request&, fw::Socket& socket) {
             socket.on("say", [](const fw::Json&, fw::Socket& from) { from.send("sayd"); });
           });)"};

inline constexpr Rule body_on_get{
    "body-on-get", Severity::warning, "a GET, HEAD or OPTIONS route should not declare a body",
    "Bodies of these requests are not parsed: a schema with required fields rejects every request.",
    R"(app.get("/", {.validate = {.body = {{"q", "string"}}}}, search);)"};

inline constexpr Rule object_in_parameters{
    "object-in-parameters", Severity::warning,
    "path parameters, queries, headers and cookies should not declare objects",
    "Their values are strings, and no notation for objects is defined: an object, or an array of "
    "objects, is rejected whatever its value is, with status 400 in the path and otherwise 422.",
    R"(app.get("/", {.validate = {.query = {{"filter", {{"from", "date"}}}}}}, search);)"};

inline constexpr Rule cache_on_unsafe_method{
    "cache-on-unsafe-method", Severity::warning,
    "only routes that change no state should be cached",
    "Without 'cache.methods', only GET and HEAD are cached, and 'cache' has no effect on routes "
    "with other methods. With 'cache.methods', a request that gets a cached response does not run "
    "the handler, so it changes nothing. If the handler only reads data, such as a search with its "
    "parameters in the body, suppress the lint: a digest of the body is part of the key, unless "
    "the route has a 'key' of its own.",
    R"(app.post("/", {.cache = 5000}, create);)"};

inline constexpr Rule csrf_on_safe_method{
    "csrf-on-safe-method", Severity::warning,
    "'csrf = false' should only be set on routes whose requests would otherwise be checked for a "
    "token",
    "Unless the setting 'csrf.methods' lists them, requests with safe methods are not checked, and "
    "'csrf = false' has no effect on their routes. A route that changes state should have another "
    "method.",
    R"(app.get("/", {.csrf = false}, list);)"};

inline constexpr Rule form_fields_not_kept{
    "form-fields-not-kept", Severity::warning,
    "a route whose forms have files and required fields should set 'multipart.fields'",
    "Unless 'multipart.fields' is true, here or in the configuration, the text fields of a form "
    "are not copied to 'req.body()'. If 'validate.body' requires some, each form is rejected with "
    "a 422. Set it to false if a middleware of the application reads them.",
    R"(app.post("/",
           {.validate = {.body = {{"title", "string!"}}},
            .multipart = {.enabled = true, .files = {{"picture", "A picture"}}}},
           create);)"};

inline constexpr Rule multipart_not_enabled{
    "multipart-not-enabled", Severity::warning,
    "a route that documents files should set 'multipart.enabled'",
    "'multipart.files' only documents the files of a form. Unless 'multipart.enabled' is true, "
    "here "
    "or in the configuration, the form is not parsed and 'req.files()' is empty. Set it to false "
    "if "
    "a middleware of the application parses the form.",
    R"(app.post("/", {.multipart = {.files = {{"avatar", "A picture"}}}}, create);)"};

inline constexpr Rule session_not_enabled{
    "session-not-enabled", Severity::warning,
    "a handler should use the session only where the route has one",
    "Without a session, 'req.session()' throws, and the response is a 500. The option 'session' "
    "decides whether a route has a session; without the option, 'session.enabled' in the "
    "configuration decides. 'fairway doctor --app-config FILE' reads the configuration.",
    R"(app.get("/", {.session = false},
        [](fw::Request& req, fw::Response& res) { res.json(req.session().data()); });)"};

inline constexpr Rule rate_limit_not_enabled{
    "rate-limit-not-enabled", Severity::warning,
    "a route should override the limits of a rate limiter that is enabled",
    "'override_.rate_limit' adjusts the limiter of the application and does not enable it. Without "
    "'rateLimit.enabled' in the configuration, the requests of the route are not limited. This is "
    "checked if the configuration is known: 'fairway doctor --app-config FILE' reads it.",
    R"(app.post("/", {.override_ = {.rate_limit = fw::RateLimitOptions{.max = 5}}}, create);)"};

inline constexpr Rule middleware_not_listed{
    "middleware-not-listed", Severity::warning,
    "the configuration should list each middleware that a route names",
    "The program does not start if a route names a middleware that 'middlewares' of its "
    "configuration lacks. A later file replaces the list of an earlier one; only names that no "
    "file "
    "in 'config/' lists are reported. This is checked if there is such a file and none has errors.",
    R"(app.get("/", {.middlewares = {"audit-log"}}, list);)"};

inline constexpr Rule https_not_enabled{
    "https-not-enabled", Severity::warning, "a setting that needs HTTPS should have it",
    "Strict-Transport-Security is sent in responses to HTTPS only, and browsers do not return a "
    "cookie with 'secure: true' in cleartext. Requests arrive by HTTPS if 'server.tls' is set, or "
    "'trustProxy' where a proxy speaks TLS. This is checked if the configuration is known: "
    "'fairway doctor --app-config FILE' reads it, and looks for these two in the other files of "
    "its "
    "directory, too, if that is named 'config'.",
    R"({"securityHeaders": {"enabled": true, "hsts": true}})"};

inline constexpr Rule broken_profile{
    "broken-profile", Severity::warning,
    "a profile of the configuration should have valid keys and values",
    "A program reads config/NAME.json if '--config NAME' or FAIRWAY_CONFIG says so, and does not "
    "start with an error in it. A file in 'config/' with a name of its own is taken for such a "
    "profile if it has a key of the configuration, or if it is not valid JSON. The first error is "
    "reported. Put files that the application reads by itself into another directory.",
    R"({
  "port": 8080,
  "ratelimit": { "enabled": true }
})"};

inline constexpr Rule locale_differs{
    "locale-differs", Severity::warning,
    "each locale file should have the messages and placeholders of the default language",
    "A client whose language lacks a message gets the one of the default language. A placeholder "
    "that a message lacks or misspells is not filled. The default language is 'locale.default' in "
    "config/default.json.",
    R"({
  "cart.full": "Der Warenkorb fasst {{maxmum}} Artikel"
})"};

inline constexpr Rule cache_without_partition{
    "cache-without-partition", Severity::warning,
    "a cached route that requires authentication should have a partition",
    "Authorized requests bypass the cache unless 'partition_key' separates the entries of users or "
    "tenants, or 'allow_authorization_cache' declares that all of them get the same response. "
    "Without these options, a route that requires authentication caches nothing, because all its "
    "successful requests are authorized. With either of them, responses are marked as 'private', "
    "so "
    "that only this server and the client store them.",
    R"(app.get("/", {.auth = true, .cache = 5000}, list);)"};

inline constexpr Rule undeclared_cache_dependency{
    "undeclared-cache-dependency", Severity::warning,
    "a cached response should only depend on what is part of the key",
    "The cache observes what a handler reads. If a response depends on something that is not part "
    "of the key, it is not stored, because requests that differ in it would get the same response: "
    "'cache' has no effect. The host, the path, the query and the body are part of the key, unless "
    "'cache.key' replaces the last three; 'cache.query' restricts the query to some parameters, "
    "and 'cache.headers' adds headers. Cookies, the session, the identity and the address of the "
    "client are added with 'cache.partition_key'. A page with the mode \"revalidate\" is rendered "
    "for everyone: its handler only sees the host, the path and the parameters in "
    "'validate.query'. Routes with a 'key' or 'partition_key' function are not checked, because "
    "the function may use any part of the request.",
    R"(app.get("/",
        {.validate = {.header = {{"x-currency", "string"}}}, .cache = 5000},
        [](fw::Request& req, fw::Response& res) { res.json(req.header("x-currency")); });)"};

inline constexpr Rule auth_differs_from_siblings{
    "auth-differs-from-siblings", Severity::warning,
    "an unguarded route among guarded ones should declare 'auth = false'",
    "If most routes of a file are guarded, an unguarded one is often a mistake. If it is intended, "
    "write 'auth = false'. A GET, HEAD or OPTIONS route is reported only if another such route is "
    "guarded.",
    R"(app.get("/", {.auth = true}, list);
app.post("/", {.auth = true}, create);
app.del("/:id", remove_one);)"};

inline constexpr Rule unused_page{"unused-page", Severity::warning,
                                  "every page should be rendered by a route",
                                  "A page that no route renders is no longer tested or seen, but "
                                  "its errors still stop the build. "
                                  "The page 'error' needs no route.",
                                  R"(pages/unused-page.html)"};

inline constexpr Rule ignored_route_file{
    "ignored-route-file", Severity::warning,
    "a C++ file below routes/ should have the extension '.cpp'",
    "Route files end in '.cpp'. A file with another C++ extension ('.cc', '.cxx', '.c++', '.C') is "
    "ignored, but is easily mistaken for a route file.",
    R"(routes/ignored-route-file/users.cc)"};

inline constexpr Rule unused_suppression{
    "unused-suppression", Severity::warning, "a NOLINT comment should suppress something",
    "A comment that suppresses nothing would hide the next warning of that kind. Errors cannot be "
    "suppressed. Ids of other tools are ignored.",
    R"(app.get("/", {.docs = {.summary = "List"}}, list);  // NOLINT(missing-docs-summary))"};
// NOLINTEND(readability-identifier-naming)

void lint_missing_docs_summary(const LintedRoute& route, Reporter& reporter);
void lint_auto_operation_id(const LintedRoute& route, Reporter& reporter);
void lint_undeclared_input(const LintedRoute& route, Reporter& reporter);
void lint_missing_response_schema(const LintedRoute& route, Reporter& reporter);
void lint_handler_does_not_compile(const LintedRoute& route, Reporter& reporter);
void lint_undeclared_status(const LintedRoute& route, Reporter& reporter);
void lint_refused_redirect(const LintedRoute& route, Reporter& reporter);
void lint_undeclared_media_type(const LintedRoute& route, Reporter& reporter);
void lint_stream_not_begun(const LintedRoute& route, Reporter& reporter);
void lint_message_not_handled(const LintedRoute& route, Reporter& reporter);
void lint_undeclared_message(const LintedRoute& route, Reporter& reporter);
void lint_body_on_get(const LintedRoute& route, Reporter& reporter);
void lint_object_in_parameters(const LintedRoute& route, Reporter& reporter);
void lint_cache_on_unsafe_method(const LintedRoute& route, Reporter& reporter);
void lint_csrf_on_safe_method(const LintedRoute& route, Reporter& reporter);
void lint_form_fields_not_kept(const LintedRoute& route, Reporter& reporter);
void lint_multipart_not_enabled(const LintedRoute& route, Reporter& reporter);
void lint_session_not_enabled(const LintedRoute& route, Reporter& reporter);
void lint_rate_limit_not_enabled(const LintedRoute& route, Reporter& reporter);
void lint_middleware_not_listed(const LintedRoute& route, Reporter& reporter);
void lint_cache_without_partition(const LintedRoute& route, Reporter& reporter);
void lint_undeclared_cache_dependency(const LintedRoute& route, Reporter& reporter);
void lint_auth_differs_from_siblings(const LintedFile& file, model::Diagnostics& diagnostics);
void lint_shadowed_routes(const model::Application& application, model::Diagnostics& diagnostics);
void lint_unused_pages(const model::Application& application, model::Diagnostics& diagnostics);

/// `files` are the C++ files below routes/ whose names do not end in '.cpp'.
void lint_ignored_route_files(const std::vector<std::string>& files,
                              model::Diagnostics& diagnostics);

/// Of the application's configuration.
void lint_https_not_enabled(const model::AppSettings& settings, model::Diagnostics& diagnostics);

/// A lint has a function for a route, for a file or for the whole application.
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
    {rules::handler_does_not_compile, lint_handler_does_not_compile},
    {rules::undeclared_status, lint_undeclared_status},
    {rules::refused_redirect, lint_refused_redirect},
    {rules::undeclared_media_type, lint_undeclared_media_type},
    {rules::stream_not_begun, lint_stream_not_begun},
    {rules::message_not_handled, lint_message_not_handled},
    {rules::undeclared_message, lint_undeclared_message},
    {rules::body_on_get, lint_body_on_get},
    {rules::object_in_parameters, lint_object_in_parameters},
    {rules::cache_on_unsafe_method, lint_cache_on_unsafe_method},
    {rules::csrf_on_safe_method, lint_csrf_on_safe_method},
    {rules::form_fields_not_kept, lint_form_fields_not_kept},
    {rules::multipart_not_enabled, lint_multipart_not_enabled},
    {rules::session_not_enabled, lint_session_not_enabled},
    {rules::rate_limit_not_enabled, lint_rate_limit_not_enabled},
    {rules::middleware_not_listed, lint_middleware_not_listed},
    {rules::https_not_enabled},
    {rules::broken_profile},
    {rules::locale_differs},
    {rules::cache_without_partition, lint_cache_without_partition},
    {rules::undeclared_cache_dependency, lint_undeclared_cache_dependency},
    {rules::auth_differs_from_siblings, nullptr, lint_auth_differs_from_siblings},
    {rules::unused_page, nullptr, nullptr, lint_unused_pages},
    {rules::ignored_route_file},
    {rules::unused_suppression},
};

/// The sorted warnings about an application that was resolved from `files` without errors. The
/// result does not depend on the order of `files`. `settings` come from the application's
/// configuration.
model::Diagnostics lint(const model::Application& application,
                        const std::vector<model::ParsedFile>& files,
                        const model::AppSettings& settings = {});

// handler_does_not_compile.cpp: The documented routes whose contract may be incomplete.

struct UndocumentedHandlers {
  model::Diagnostics findings;  ///< of [handler-does-not-compile] in routes of the document
  std::size_t suppressed = 0;   ///< more of them, which comments or settings suppress
};

/// `settings` are read if there is a finding.
UndocumentedHandlers undocumented_handlers(const model::Application& application,
                                           const std::vector<model::ParsedFile>& files,
                                           const std::function<LintSettings()>& settings,
                                           diagnostics::SourceText& sources);

// summarized.cpp: Few lines for many findings about documentation.

/// Replaces the warnings of a rule with a summary by one for each file that has several.
model::Diagnostics summarized(const model::Diagnostics& diagnostics);

}  // namespace fairway::rules
