// The validator of requests against the JSON Schema test suite: the cases whose schemas a C++ type
// can have. tests/compiler/openapi has ajv judge the schemas that are emitted for them.
#include "schema_suite.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

#include "schema/node.hpp"

namespace schema_suite_test {

TEST_CASE("schema of a type: agreement with the JSON Schema test suite") {
  for (const auto& entry : test::schema_suite::kKeywords) {
    const std::string& name = entry.first;
    CAPTURE(name);
    std::size_t cases = 0;
    for (const auto& group : test::schema_suite::groups_of(FAIRWAY_SCHEMA_SUITE, name)) {
      for (const auto& each : group.cases) {
        ++cases;
        CAPTURE(each.description);
        const bool is_valid =
            fw::schema::validate(group.node, each.data, fw::schema::Source::json).errors.empty();
        CHECK(is_valid == each.is_valid);
      }
    }
    CHECK(cases >= entry.second.cases);
  }
}

}  // namespace schema_suite_test
