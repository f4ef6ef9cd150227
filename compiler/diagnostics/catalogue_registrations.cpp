#include "diagnostics/catalogue_rows.hpp"

namespace fairway::diagnostics {

std::span<const Rule> registration_rules() {
  using enum model::Severity;
  static constexpr Rule kRows[] = {
      {"registration-not-top-level", error,
       "a registration must be a direct top-level statement of the factory",
       "A registration inside a condition, a loop, a try block, a nested lambda or a helper may "
       "happen never, once or often, which only running the program would show. Write each "
       "registration out; decide inside the handler or in a middleware.",
       R"(if (with_admin) app.get("/admin", admin);)"},
      {"computed-method", error, "the method of a registration must be named in the call",
       "A pointer to member, std::invoke or a stored callable hides which of get, post, put, "
       "patch, "
       "del, head and options is called.",
       R"(constexpr Register verb = &fw::Router::get;
(app.*verb)("/", list);)"},
      {"router-escapes", error, "the router must not be passed to code that could register routes",
       "Once the router is an argument or is stored, registrations can happen where the compiler "
       "does not look. Capturing it by reference in a handler is fine: registration is closed by "
       "then.",
       R"(add_crud_routes(app, "/users");)"},
      {"bad-registration", error,
       "a registration must be 'app.<method>(path, handler)' or 'app.<method>(path, options, "
       "handler)'",
       "The handler comes last and is a callable void(fw::Request&, fw::Response&).",
       R"(app.get("/users");)"},
      {"captures-factory-local", error,
       "a handler must not refer to local variables of the factory",
       "The factory returns before the first request comes, and its variables are destroyed with "
       "it: a reference or a pointer to one of them reads foreign memory. Capture the variable by "
       "value, declare it 'static', or keep it in a service. The router, and what it gives "
       "references to, live as long as the application.",
       R"(int visits = 0;
app.get("/", [&](fw::Request&, fw::Response& res) { res.json(++visits); });)"},
      {"handler-returns-value", error, "a handler must send its response, not return it",
       "What a handler returns is ignored. One that returns a value and never refers to its "
       "response sends nothing, and every request ends with status 500.",
       R"(app.get("/", [](fw::Request&, fw::Response&) { return fw::Json{{"ok", true}}; });)"},
      {"route-path-not-static", error, "the path of a registration must be static",
       "A path is a literal, or a const or constexpr variable of this file or of an included "
       "header that is initialised with one. Function calls, concatenation and conditional "
       "expressions are not evaluated.",
       R"(app.get(kBase + "/list", list);)"},
      {"options-not-static", error, "the options of a registration must be static",
       "Options are brace initialisers of the framework's types with static values: literals, "
       "constants, enumerators, and the framework's own builders. The diagnostic points at the "
       "smallest part that is not.",
       R"(app.get("/", {.timeout = compute_timeout()}, list);)"},
      {"options-from-helper", error, "options must not be built by a helper",
       "A call that builds options is rejected even when it is constexpr: a reader of the route "
       "file must see what a route declares. Write the object in place, or store it in a const of "
       "the same file.",
       R"(app.post("/", guarded_options("admin"), create);)"},
      {"schema-builder-misuse", error,
       "a field builder must be compile_field(string), with at most one description(string)",
       "Both strings are static, and the builder is written in place or stored in a const of the "
       "same file. Imported builders, other chains of calls and foreign schema objects are opaque.",
       R"({"email", fw::schema_adapter::compile_field(type_of("email"))})"},
  };
  return kRows;
}

}  // namespace fairway::diagnostics
