// The rules for the default export of a file and its calls of `app.<method>(…)`. The front end
// reports violations that it sees in one file, and rules/ those that involve other files.
#pragma once

#include "model/diagnostic.hpp"

namespace fairway::model::rules {

using model::Rule;
using model::Severity;

// NOLINTBEGIN(readability-identifier-naming): rules have the names of their diagnostics.
inline constexpr Rule no_default_export{
    "no-default-export", Severity::error,
    "a file below routes/, middlewares/ or plugins/ must have a default export",
    "Each .cpp file below routes/ serves one URL prefix, and its default export registers the "
    "routes. The default export of a file below middlewares/ or plugins/ is the middleware or the "
    "plugin. A file without a default export would silently do nothing. Export the definition, or "
    "move helper code to another folder.",
    R"(const auto users = fw::define_routes([](fw::Router& app) { app.get("/", list); });)"};

inline constexpr Rule not_a_route_definition{
    "not-a-route-definition", Severity::error,
    "the default export must be the result of 'fw::define_routes', or the default "
    "export of another route file",
    "The compiler reads the routes of a file from the call of fw::define_routes that initialises "
    "its default export: directly, through a const of the same file, or with FW_REEXPORT_DEFAULT. "
    "Other expressions cannot be evaluated without running the program.",
    R"(fw::RouteDefinition make_routes();
FW_EXPORT_DEFAULT = make_routes();)"};

inline constexpr Rule factory_not_resolvable{
    "factory-not-resolvable", Severity::error,
    "the factory must be a lambda or a function defined in the same file",
    "The compiler reads the registrations from the body of the function that is passed to "
    "fw::define_routes, so the body must be in this file.",
    R"(extern void users(fw::Router& app);
FW_EXPORT_DEFAULT = fw::define_routes(users);)"};

inline constexpr Rule factory_not_synchronous{
    "factory-not-synchronous", Severity::error,
    "the factory must return nothing and must not be a coroutine",
    "The factory runs once, at startup, and routes can only be registered until it returns. Its "
    "return value would be ignored, and so would routes that a coroutine registers later.",
    R"(FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", list);
  return 1;
});)"};

inline constexpr Rule several_default_exports{
    "several-default-exports", Severity::error, "a file must have only one default export",
    "A route file serves one prefix. Register the routes in one factory, or split the file.",
    R"(FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) { app.get("/users", list); });
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) { app.get("/admins", list); });)"};

inline constexpr Rule duplicate_route_file{
    "duplicate-route-file", Severity::error, "two route files must not have the same prefix",
    "users.cpp and users/index.cpp both have the prefix /users, so the order of the files would "
    "decide which of them serves a path. Merge the two, or rename one.",
    R"(routes/duplicate-route-file.cpp
routes/duplicate-route-file/index.cpp)"};

inline constexpr Rule reexport_not_resolvable{
    "reexport-not-resolvable", Severity::error,
    "FW_REEXPORT_DEFAULT must name a route file, and re-exports must not form a cycle",
    "The path is relative to the re-exporting file, uses '/' and includes the file extension. The "
    "target must be a route file of this application, or a file that re-exports one. A chain that "
    "leads back to itself exports nothing.",
    R"(FW_REEXPORT_DEFAULT("users.cpp");)"};

inline constexpr Rule does_not_parse{
    "does-not-parse", Severity::error,
    "the code of a file must compile, except in the bodies of its handlers",
    "The route compiler reads the routes from Clang's syntax tree, and an error outside the "
    "handlers makes that tree incomplete. Errors inside a handler are reported when the program is "
    "compiled. The message is Clang's.",
    R"(FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) { app.get("/", list) });)"};

inline constexpr Rule registration_not_top_level{
    "registration-not-top-level", Severity::error,
    "a registration must be a direct top-level statement of the factory",
    "A registration inside a condition, a loop, a try block, a nested lambda or a helper may run "
    "any number of times, which is only known at run time. Register each route in a separate "
    "statement, and move conditions into the handler or a middleware. Conditions of the "
    "preprocessor may depend on macros of the project, but not on macros of the compiler, such as "
    "__clang__: the route compiler is not the compiler of the program.",
    R"(if (with_admin) app.get("/admin", admin);)"};

inline constexpr Rule computed_method{
    "computed-method", Severity::error, "the method of a registration must be named in the call",
    "A pointer to member, std::invoke or a stored callable hides which of get, post, put, patch, "
    "del, head and options is called.",
    R"(constexpr Register verb = &fw::Router::get;
(app.*verb)("/", list);)"};

inline constexpr Rule router_escapes{
    "router-escapes", Severity::error,
    "the router must not be passed to code that could register routes",
    "If the router is passed as an argument or stored, routes can be registered where the compiler "
    "does not see them. Capturing it by reference in a handler is allowed, because routes can no "
    "longer be registered when handlers run.",
    R"(add_crud_routes(app, "/users");)"};

inline constexpr Rule bad_registration{
    "bad-registration", Severity::error,
    "a registration must be 'app.<method>(path, handler)' or 'app.<method>(path, options, "
    "handler)'",
    "The last argument is the handler. It takes fw::Request&, fw::Response&, fw::Param<T>, "
    "fw::Query<T>, fw::Header<T>, fw::Cookie<T> and fw::Body<T>, each at most once, and returns "
    "nothing or what it sends.",
    R"(app.get("/users");)"};

inline constexpr Rule captures_factory_local{
    "captures-factory-local", Severity::error,
    "a handler must not refer to local variables of the factory",
    "The factory returns before the first request arrives, and its variables are destroyed: a "
    "reference or a pointer to one of them dangles. Capture the variable by value, declare it "
    "'static', or keep it in a service. The handler may refer to the router and to objects "
    "that functions of the router return by reference: these live as long as the application. "
    "Views, iterators and pointers are followed through variables, functions of the file that only "
    "return one, and what strings, containers, views and iterators of the standard library return "
    "of their content. Not followed are views that are members, elements or structured bindings, "
    "arithmetic with pointers, conditional expressions, algorithms, 'std::make_pair' and other "
    "functions, constructors of other classes, smart pointers, and content that the factory moves "
    "or passes on.",
    R"(int visits = 0;
app.get("/", [&](fw::Request&, fw::Response& res) { res.json(++visits); });)"};

inline constexpr Rule route_path_not_static{
    "route-path-not-static", Severity::error, "the path of a registration must be static",
    "A path is a literal, or a const or constexpr variable of this file or of an included header "
    "that is initialised with one. Function calls, concatenation and conditional expressions are "
    "not evaluated.",
    R"(app.get(kBase + "/list", list);)"};

inline constexpr Rule options_not_static{
    "options-not-static", Severity::error, "the options of a registration must be static",
    "Options are brace initialisers of the framework's types with static values: literals, "
    "constants, enumerators, and the framework's own builders. The diagnostic points to the "
    "smallest part that is not static.",
    R"(app.get("/", {.timeout = compute_timeout()}, list);)"};

inline constexpr Rule options_from_helper{
    "options-from-helper", Severity::error, "options must not be built by a helper",
    "A call that builds options is rejected even if it is constexpr, because a reader of the route "
    "file must see what a route declares. Write the object in place, or store it in a const of the "
    "same file.",
    R"(app.post("/", guarded_options("admin"), create);)"};

inline constexpr Rule schema_builder_misuse{
    "schema-builder-misuse", Severity::error,
    "a field builder must be compile_field(string), with at most one description(string)",
    "Both strings are static, and the builder is written in place or stored in a const of the same "
    "file. The compiler cannot read builders from other files, other chains of calls, or schema "
    "objects of other libraries.",
    R"({"email", fw::schema_adapter::compile_field(type_of("email"))})"};

inline constexpr Rule kSourceRules[] = {
    no_default_export,       not_a_route_definition,  factory_not_resolvable,
    factory_not_synchronous, several_default_exports, duplicate_route_file,
    reexport_not_resolvable, does_not_parse,          registration_not_top_level,
    computed_method,         router_escapes,          bad_registration,
    captures_factory_local,  route_path_not_static,   options_not_static,
    options_from_helper,     schema_builder_misuse};
// NOLINTEND(readability-identifier-naming)

}  // namespace fairway::model::rules
