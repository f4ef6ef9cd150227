#include <doctest/doctest.h>

#include "rules/route_rules.hpp"
#include "support/builders.hpp"

namespace same_cpp_name_test {

using namespace fairway;
using namespace fairway::testing;

namespace {

std::string errors(const model::Value& fields, std::string_view location = "body") {
  model::Diagnostics diagnostics;
  rules::Reporter reporter(diagnostics, "POST", "/users");
  rules::declared_fields(fields, reporter, location);
  return summary(diagnostics);
}

std::string errors_of_values(const std::string& type) {
  return errors(entries({{"field", text(type)}}));
}

}  // namespace

TEST_CASE("[same-cpp-name] enum values with the same enumerator are one error that names both") {
  const model::Diagnostics diagnostics = [] {
    model::Diagnostics result;
    rules::Reporter reporter(result, "POST", "/users");
    rules::declared_field(text_at(3, 10, "array<enum: name, created at,created-at>"), reporter);
    return result;
  }();
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0].id == "same-cpp-name");
  CHECK(diagnostics[0].message ==
        "the values 'created at' and 'created-at' have the same name in C++, 'created_at'");
  CHECK(diagnostics[0].range.line == 3);
  CHECK(diagnostics[0].range.column == 40);
  CHECK(diagnostics[0].range.end_column == 50);
}

TEST_CASE("[same-cpp-name] enum values with distinct enumerators are not reported") {
  CHECK(errors_of_values("enum:a b,a-b,a_b") ==
        ":0:0 same-cpp-name: the values 'a b' and 'a-b' have the same name in C++, 'a_b'\n"
        ":0:0 same-cpp-name: the values 'a b' and 'a_b' have the same name in C++, 'a_b'\n");
  CHECK(errors_of_values("enum:1,-1,+1") != "");
  CHECK(errors_of_values("enum:NULL,NULL_") != "");
  CHECK(errors_of_values("enum:class,class_") != "");
  CHECK(errors_of_values("enum:a,A,EUR,eur") == "");
  CHECK(errors_of_values("enum:name,-name,Name,-Name") == "");
  CHECK(errors_of_values("enum:\u00e9,\u65e5\u672c,\U0001f642") == "");
}

TEST_CASE("[same-cpp-name] fields with the same member are one error that names both") {
  const std::string expected =
      ":0:0 same-cpp-name: the fields 'a b' and 'a-b' have the same name in C++, 'a_b'\n";
  const auto fields = entries({{"a b", text("string")}, {"a-b", text("string")}});
  CHECK(errors(fields) == expected);
  CHECK(errors(entries({{"nested", fields}})) == expected);
  CHECK(errors(entries({{"items", call("array_of", {fields})}})) == expected);
}

TEST_CASE("[same-cpp-name] names of header fields are compared in lower case") {
  const auto fields = entries({{"X-Id", text("string")}, {"x_id", text("string")}});
  CHECK(errors(fields, "header") ==
        ":0:0 same-cpp-name: the fields 'X-Id' and 'x_id' have the same name in C++, 'x_id'\n");
  CHECK(errors(fields) == "");
}

TEST_CASE("[same-cpp-name] fields whose types have the same name are an error") {
  const auto object = entries({{"a", text("string")}});
  CHECK(errors(entries({{"line-item", object}, {"lineItem", text("enum:a,b")}})) ==
        ":0:0 same-cpp-name: the types of the fields 'line-item' and 'lineItem' have the same name "
        "in C++, 'LineItem'\n");
  CHECK(errors(entries({{"tags", call("array_of", {object})}, {"tags_item", object}})) != "");
  CHECK(errors(entries({{"line-item", object}, {"lineItem", text("string")}})) == "");
  CHECK(errors(entries({{"tag", object}, {"tags", call("array_of", {object})}})) == "");
}

TEST_CASE("[same-cpp-name] operation ids with the same name are an error, in whatever order") {
  const auto errors_of_ids = [](const std::string& first, const std::string& second) {
    const auto with_id = [](const std::string& id) {
      return options({{"docs", record("Docs", {{"operation_id", text(id)}})}});
    };
    return checked({route_file("routes/a.cpp", {route("GET", "/", with_id(first))}),
                    route_file("routes/b.cpp", {route("GET", "/", with_id(second))})})
        .diagnostics;
  };
  const model::Diagnostics found = errors_of_ids("get-user", "getUser");
  CHECK(summary(found) ==
        "src/routes/b.cpp:2:1 same-cpp-name: the operation ids 'get-user' and 'getUser' have the "
        "same name in C++, 'GetUser'\n");
  REQUIRE(found.size() == 1);
  REQUIRE(found[0].notes.size() == 1);
  CHECK(found[0].notes[0].range.file == "src/routes/a.cpp");
  CHECK(summary(errors_of_ids("getUser", "get-user")).find("same-cpp-name") != std::string::npos);
  CHECK(summary(errors_of_ids("class", "class_")).find("'Class'") != std::string::npos);
  CHECK(summary(errors_of_ids("caf\u00e9", "caf")).empty());
  CHECK(summary(errors_of_ids("\u65e5", "\u672c")).empty());
}

}  // namespace same_cpp_name_test
