#include <doctest/doctest.h>

#include "support/builders.hpp"

namespace reexport_test {

using namespace fairway;
using namespace fairway::testing;

TEST_CASE("re-export: the routes are served under the prefix of the re-exporting file") {
  const auto resolution = checked({route_file("routes/users.cpp", {route("GET", "/:id")}),
                                   reexport_file("routes/admin/users.cpp", "../users.cpp")});
  REQUIRE(summary(resolution.diagnostics).empty());
  REQUIRE(resolution.application.files.size() == 2);
  const auto& file = resolution.application.files[0];
  CHECK(file.path == "routes/admin/users.cpp");
  CHECK(file.export_path == "routes/users.cpp");
  CHECK(file.routes.at(0).path == "/admin/users/:id");
  CHECK(file.routes.at(0).operation_id == "getAdminUsersById");
  CHECK(file.routes.at(0).docs.tags == std::vector<std::string>{"admin/users"});
  // The contract belongs to the registration, wherever it is served.
  CHECK(file.routes.at(0).fingerprint == resolution.application.files[1].routes.at(0).fingerprint);
}

TEST_CASE("re-export: chains are followed to their end") {
  const auto resolution =
      checked({reexport_file("routes/a.cpp", "b.cpp"), reexport_file("routes/b.cpp", "./c.cpp"),
               route_file("routes/c.cpp", {route("GET", "/")})});
  REQUIRE(summary(resolution.diagnostics).empty());
  CHECK(resolution.application.files[0].export_path == "routes/c.cpp");
  CHECK(resolution.application.files[1].export_path == "routes/c.cpp");
}

TEST_CASE("[reexport-not-resolvable] a missing target is one error, at the file that names it") {
  const auto found = checked({reexport_file("routes/a.cpp", "b.cpp"),
                              reexport_file("routes/b.cpp", "../users.cpp")})
                         .diagnostics;
  CHECK(summary(found) ==
        "src/routes/b.cpp:1:1 reexport-not-resolvable: there is no route file 'users.cpp'\n");
  const auto without_ending = checked({reexport_file("routes/a.cpp", "b")}).diagnostics;
  REQUIRE(without_ending.size() == 1);
  CHECK(without_ending[0].help == "write \"b.cpp\"");
}

TEST_CASE("[reexport-not-resolvable] a middleware file is not a route file") {
  CHECK(summary(checked({component_file("middlewares/m.cpp", model::ExportKind::middleware),
                         reexport_file("routes/a.cpp", "../middlewares/m.cpp")})
                    .diagnostics) ==
        "src/routes/a.cpp:1:1 reexport-not-resolvable: there is no route file "
        "'middlewares/m.cpp'\n");
}

TEST_CASE("[reexport-not-resolvable] a cycle is one error, with the whole chain") {
  const auto found =
      checked({reexport_file("routes/a.cpp", "b.cpp"), reexport_file("routes/b.cpp", "c.cpp"),
               reexport_file("routes/c.cpp", "b.cpp")})
          .diagnostics;
  CHECK(summary(found) ==
        "src/routes/b.cpp:1:1 reexport-not-resolvable: re-exports lead back to this file\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0].notes.size() == 1);
  CHECK(checked({reexport_file("routes/a.cpp", "a.cpp")}).diagnostics.size() == 1);
}

TEST_CASE("re-export: a target with an error is not reported again") {
  model::ParsedFile broken = route_file("routes/b.cpp", {});
  broken.export_kind = model::ExportKind::none;
  model::Diagnostic error;
  error.id = "does-not-parse";
  broken.diagnostics.push_back(error);
  CHECK(checked({reexport_file("routes/a.cpp", "b.cpp"), broken}).diagnostics.size() == 1);
}

TEST_CASE("[duplicate-operation-id] a re-exported id is reported at the re-export") {
  const auto written = options({{"docs", record("Docs", {{"operation_id", text("listUsers")}})}});
  const auto found = checked({route_file("routes/users.cpp", {route("GET", "/", written)}),
                              reexport_file("routes/v2/users.cpp", "../users.cpp")})
                         .diagnostics;
  CHECK(summary(found) ==
        "src/routes/v2/users.cpp:1:1 duplicate-operation-id: the operation id 'listUsers' is used "
        "twice\n");
}

TEST_CASE("[no-default-export] [not-a-route-definition] exports must fit the folder") {
  CHECK(summary(checked({component_file("routes/a.cpp", model::ExportKind::none)}).diagnostics) ==
        "src/routes/a.cpp:1:1 no-default-export: this route file has no default export\n");
  const auto missing =
      checked({component_file("middlewares/a.cpp", model::ExportKind::none)}).diagnostics;
  CHECK(
      summary(missing) ==
      "src/middlewares/a.cpp:1:1 no-default-export: this middleware file has no default export\n");
  CHECK(missing.at(0).help ==
        "write 'FW_EXPORT_DEFAULT = fw::define_middleware("
        "[](fw::Request& req, fw::Response& res, fw::Next next) { … });'");
  CHECK(summary(checked({component_file("routes/a.cpp", model::ExportKind::plugin)}).diagnostics) ==
        "src/routes/a.cpp:1:1 not-a-route-definition: the default export of a route file must be "
        "the result of 'fw::define_routes'\n");
  CHECK(
      summary(
          checked({component_file("middlewares/a.cpp", model::ExportKind::routes)}).diagnostics) ==
      "src/middlewares/a.cpp:1:1 not-a-route-definition: the default export of a middleware file "
      "must be the result of 'fw::define_middleware'\n");
  CHECK(checked({component_file("plugins/a.cpp", model::ExportKind::plugin),
                 component_file("middlewares/a.cpp", model::ExportKind::middleware)})
            .diagnostics.empty());
}

}  // namespace reexport_test
