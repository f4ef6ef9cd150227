#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>

#include "resolve/route_files.hpp"

namespace operation_id_test {

using fairway::resolve::component_name;
using fairway::resolve::inferred_operation_id;
using fairway::resolve::prefix_of;
using fairway::resolve::tag_of;

TEST_CASE("operation id: an id is inferred from method and path") {
  CHECK(inferred_operation_id("GET", "/users") == "getUsers");
  CHECK(inferred_operation_id("POST", "/users") == "createUsers");
  CHECK(inferred_operation_id("GET", "/users/:id") == "getUsersById");
  CHECK(inferred_operation_id("PUT", "/users/:id") == "updateUsersById");
  CHECK(inferred_operation_id("DELETE", "/users/:id") == "deleteUsersById");
}

TEST_CASE("operation id: every part of the path is in the inferred id") {
  CHECK(inferred_operation_id("GET", "/") == "getRoot");
  CHECK(inferred_operation_id("GET", "/things/:thing_id") == "getThingsByThingId");
  CHECK(inferred_operation_id("GET", "/d/:name.:ext") == "getDByNameByExt");
  CHECK(inferred_operation_id("GET", "/files/*path") == "getFilesByPath");
  CHECK(inferred_operation_id("GET", "/files/*") == "getFilesByWildcard");
  CHECK(inferred_operation_id("PATCH", "/api/v1/user-profiles") == "patchApiV1UserProfiles");
  CHECK(inferred_operation_id("GET", "/MixedCase") == "getMixedCase");
}

TEST_CASE("operation id: inferred ids match the conformance cases") {
  std::ifstream stream(FAIRWAY_CONFORMANCE_DIR "/operation-id.json");
  REQUIRE(stream);
  const auto cases = nlohmann::json::parse(stream).at("cases");
  CHECK_FALSE(cases.empty());
  for (const auto& measured : cases) {
    CAPTURE(measured.at("id").get<std::string>());
    CHECK(inferred_operation_id(measured.at("method").get<std::string>(),
                                measured.at("path").get<std::string>()) ==
          measured.at("operationId").get<std::string>());
  }
}

TEST_CASE("route file: prefix, tag and unit name follow from its path") {
  CHECK(prefix_of("routes/users.cpp") == "/users");
  CHECK(prefix_of("routes/api/orders.cpp") == "/api/orders");
  CHECK(prefix_of("routes/index.cpp") == "/");
  CHECK(prefix_of("routes/v1.2/users.cpp") == "/v1.2/users");
  CHECK(prefix_of("routes/reindex.cpp") == "/reindex");
  CHECK(tag_of("routes/users.cpp") == "users");
  CHECK(tag_of("routes/api/orders.cpp") == "api/orders");
  CHECK(tag_of("routes/api/index.cpp") == "api");
  CHECK(tag_of("routes/index.cpp") == "root");
  CHECK(component_name("middlewares/audit-log.cpp") == "audit-log");
  CHECK(component_name("plugins/db.cpp") == "db");
  CHECK(component_name("middlewares/admin/role.cpp") == "admin/role");
}

}  // namespace operation_id_test
