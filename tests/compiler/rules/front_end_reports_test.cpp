#include <doctest/doctest.h>

#include "support/builders.hpp"

namespace front_end_reports_test {

using namespace fairway::testing;

TEST_CASE("front end reports: a diagnostic names the route with its final path") {
  auto file = route_file("routes/api/users.cpp", {});
  auto& escapes = file.diagnostics.emplace_back();
  escapes.id = "router-escapes";
  auto& bad = file.diagnostics.emplace_back();
  bad.id = "bad-registration";
  bad.method = "GET";
  bad.route = "/:id";
  const auto resolution = checked({file});
  REQUIRE(resolution.diagnostics.size() == 2);
  for (const auto& diagnostic : resolution.diagnostics) {
    CAPTURE(diagnostic.id);
    CHECK(diagnostic.route == (diagnostic.id == "bad-registration" ? "/api/users/:id" : ""));
  }
}

namespace {

using namespace fairway;

model::GeneratedName type(std::vector<std::string> parts, unsigned line) {
  return {.parts = std::move(parts), .in_valid = true, .range = {"", line, 5, line, 30}};
}

/// Routes whose handlers take `names` from `req.valid<…>()`, in a file that includes `header`.
model::ParsedFile typed_file(const std::string& path, std::vector<model::Registration> routes,
                             const std::vector<model::GeneratedName>& names,
                             const std::string& header) {
  auto file = route_file(path, std::move(routes));
  for (auto name : names) {
    name.range.file = file.display_path;
    file.generated_names.push_back(name);
    for (auto& registration : file.registrations) registration.handler.validated.push_back(name);
  }
  if (!header.empty()) file.generated_includes.push_back({header, {}});
  return file;
}

model::Registration created(const std::string& type = "string") {
  return route("POST", "/", options({{"validate", validate("body", {{"name", text(type)}})}}));
}

const model::GeneratedName kOfUsers = type({"routes", "api", "users", "CreateApiUsers", "Body"}, 9);

}  // namespace

TEST_CASE("[unknown-route-type] types of another route file need its header") {
  const auto users = typed_file("routes/api/users.cpp", {created()}, {kOfUsers},
                                "fairway/routes/api/users.routes.hpp");
  CHECK(summary(checked({users}).diagnostics).empty());
  const auto orders = [&](const std::string& header) {
    return summary(
        checked({users, typed_file("routes/orders.cpp", {created()}, {kOfUsers}, header)})
            .diagnostics);
  };
  CHECK(orders("api/users.routes.hpp").empty());  // of one and the same type
  CHECK(orders("orders.routes.hpp")
            .find("missing-types-header: 'routes::api::users::CreateApiUsers::"
                  "Body' is declared in 'api/users.routes.hpp'") != std::string::npos);
  const auto other = checked({users, typed_file("routes/orders.cpp", {created("integer")},
                                                {kOfUsers}, "api/users.routes.hpp")});
  REQUIRE(other.diagnostics.size() == 1);
  CHECK(other.diagnostics[0].id == "type-of-another-route");
  CHECK(other.diagnostics[0].help == "write 'req.valid<routes::orders::CreateOrders::Body>()'");
  REQUIRE(other.diagnostics[0].fixes.size() == 1);
  CHECK(other.diagnostics[0].fixes[0].text == "routes::orders::CreateOrders::Body");
}

TEST_CASE("[missing-types-header] a file with types of its own includes its header") {
  auto file = route_file("routes/api/users.cpp", {route("POST", "/")});
  file.include_end = {file.display_path, 1, 34, 1, 34};
  file.types = {{.name = "::NewUser",
                 .component = "NewUser",
                 .header = {},
                 .members = {},
                 .schema = R"({"type":"object","properties":{}})",
                 .range = {file.display_path, 4, 8, 4, 15}}};
  const model::TypeUse use{
      .name = "::NewUser", .schema = file.types[0].schema, .types = {"::NewUser"}};
  file.registrations[0].signature.inputs = {{"body", use, {file.display_path, 9, 3, 9, 20}}};

  const auto found = checked({file}).diagnostics;
  REQUIRE(found.size() == 1);
  CHECK(found[0].id == "missing-types-header");
  CHECK(found[0].range == file.types[0].range);
  REQUIRE(found[0].fixes.size() == 1);
  CHECK(found[0].fixes[0].range == file.include_end);
  CHECK(found[0].fixes[0].text == "\n#include \"api/users.routes.hpp\"");

  auto included = file;
  included.generated_includes = {{"api/users.routes.hpp", {}}};
  CHECK(summary(checked({included}).diagnostics).empty());
  auto of_header = file;
  of_header.types[0].header = "models/user.hpp";
  CHECK(summary(checked({of_header}).diagnostics).empty());
}

TEST_CASE("[unknown-route-type] a namespace of a folder is none of a file") {
  const auto users = typed_file("routes/api/users.cpp", {created()}, {}, "");
  const auto with_use = [&](model::NameUse use, const std::string& header) {
    model::GeneratedName name = type({"routes", "api"}, 3);
    name.in_valid = false;
    name.use = use;
    return summary(
        checked({users, typed_file("routes/orders.cpp", {created()}, {name}, header)}).diagnostics);
  };
  CHECK(with_use(model::NameUse::space, "api/users.routes.hpp").empty());
  CHECK(with_use(model::NameUse::any, "api/users.routes.hpp").empty());
  CHECK(with_use(model::NameUse::type, "api/users.routes.hpp")
            .find("unknown-route-type: 'routes::api' is a namespace, not a type") !=
        std::string::npos);
  CHECK(with_use(model::NameUse::space, "orders.routes.hpp")
            .find("missing-types-header: 'routes::api' is declared in 'api/users.routes.hpp'") !=
        std::string::npos);
}

TEST_CASE("[unknown-route-type] headers of other applications and broken files are not checked") {
  const auto foreign = type({"routes", "billing", "CreateInvoice", "Body"}, 3);
  CHECK(summary(checked({typed_file("routes/users.cpp", {created()}, {foreign}, "")}).diagnostics)
            .find("unknown-route-type: no route file has types in 'routes::billing'") !=
        std::string::npos);
  CHECK(summary(
            checked({typed_file("routes/users.cpp", {created()}, {foreign}, "billing.routes.hpp")})
                .diagnostics)
            .empty());
  const auto unknown = type({"routes", "users", "Unknown", "Body"}, 3);
  const auto with_error =
      checked({typed_file("routes/users.cpp", {created("strng")}, {unknown}, "users.routes.hpp")});
  REQUIRE(with_error.diagnostics.size() == 1);
  CHECK(with_error.diagnostics[0].id == "bad-schema");
}

TEST_CASE("[unknown-route-type] a file that re-exports routes has its own types") {
  const auto users =
      typed_file("routes/users.cpp", {created()},
                 {type({"routes", "users", "CreateUsers", "Body"}, 3)}, "users.routes.hpp");
  CHECK(
      summary(checked({users, reexport_file("routes/admin/users.cpp", "../users.cpp")}).diagnostics)
          .empty());
}

}  // namespace front_end_reports_test
