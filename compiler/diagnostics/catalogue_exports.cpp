#include "diagnostics/catalogue_rows.hpp"

namespace fairway::diagnostics {

std::span<const Rule> export_rules() {
  using enum model::Severity;
  static constexpr Rule kRows[] = {
      {"no-default-export", error, "a route file must have a default export",
       "Every .cpp file below routes/ stands for one URL prefix, and its default export brings the "
       "routes. A file without one would be a prefix that silently serves nothing. Export the "
       "definition, or move helper code out of routes/.",
       R"(const auto users = fw::define_routes([](fw::Router& app) { app.get("/", list); });)"},
      {"not-a-route-definition", error,
       "the default export must be a value of 'fw::define_routes', or a re-export of one",
       "The routes of a file are read from the call of fw::define_routes that its default export "
       "is initialised with: directly, through a const of the same file, or by "
       "FW_REEXPORT_DEFAULT. Anything else cannot be followed without running the program.",
       R"(fw::RouteDefinition make_routes();
FW_EXPORT_DEFAULT = make_routes();)"},
      {"factory-not-resolvable", error,
       "the factory must be a lambda or a function defined in the same file",
       "The registrations are read from the body of the function that is passed to "
       "fw::define_routes, so the body has to be in this file.",
       R"(extern void users(fw::Router& app);
FW_EXPORT_DEFAULT = fw::define_routes(users);)"},
      {"factory-not-synchronous", error,
       "the factory must return nothing and must not be a coroutine",
       "The factory runs once, at start, and registration closes when it returns. What it "
       "returned, "
       "or did later, would be lost.",
       R"(FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", list);
  return 1;
});)"},
      {"several-default-exports", error, "a file must have only one default export",
       "One route file stands for one prefix. Register the routes in one factory, or split the "
       "file.",
       R"(FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) { app.get("/users", list); });
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) { app.get("/admins", list); });)"},
      {"duplicate-route-file", error, "two route files must not map to one prefix",
       "users.cpp and users/index.cpp both have the prefix /users, so which of them serves a path "
       "would depend on their order. Merge the two, or rename one.",
       R"(routes/duplicate-route-file.cpp
routes/duplicate-route-file/index.cpp)"},
      {"reexport-not-resolvable", error,
       "FW_REEXPORT_DEFAULT must name a route file, and chains of re-exports must end",
       "The path is relative to the file that re-exports, with '/' and with the ending. The target "
       "is a route file of this application, or re-exports one; a chain that comes back to itself "
       "exports nothing.",
       R"(FW_REEXPORT_DEFAULT("users.cpp");)"},
      {"does-not-parse", error, "a file must compile outside the bodies of its handlers",
       "The routes are read from the program's syntax tree. Errors inside a handler are left to "
       "the "
       "compiler of the program; an error anywhere else leaves no tree to read. The message is "
       "Clang's.",
       R"(FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) { app.get("/", list) });)"},
  };
  return kRows;
}

}  // namespace fairway::diagnostics
