#include "emit/cpp_names.hpp"

#include <doctest/doctest.h>

#include "emit/source_parts.hpp"

namespace cpp_names_test {

using namespace fairway::emit;

TEST_CASE("any text has a C++ name") {
  CHECK(cpp_name("name") == "name");
  CHECK(cpp_name("x-trace-id") == "x_trace_id");
  CHECK(cpp_name("1st") == "_1st");
  CHECK(cpp_name("class") == "class_");
  CHECK(cpp_name("linux") == "linux_");
  CHECK(cpp_name("") == "_");
  CHECK(cpp_name("\xC3\xA9") == "_");
}

TEST_CASE("types are in PascalCase") {
  CHECK(type_name("createUsers") == "CreateUsers");
  CHECK(type_name("line-item") == "LineItem");
  CHECK(type_name("users.list v2") == "UsersListV2");
  CHECK(type_name("null") == "Null");
  CHECK(type_name("NULL") == "NULL_");
  CHECK(type_name("2fa") == "_2fa");
  CHECK(type_name("--") == "_");
}

TEST_CASE("a route file's namespace is its path") {
  CHECK(namespace_of("routes/api/users.cpp") == "routes::api::users");
  CHECK(namespace_of("routes/v1.2/my-users.cpp") == "routes::v1_2::my_users");
  CHECK(namespace_of("routes/index.cpp") == "routes::index");
  CHECK(namespace_of("routes/std/default.cpp") == "routes::std_::default_");
}

TEST_CASE("exports are named after the bytes of their file's path") {
  CHECK(export_name("routes/users.cpp", "") == "fairway_export_routes_2fusers_2ecpp");
  CHECK(export_name("routes/a_b.cpp", "shop") == "fairway_export_shop_routes_2fa_5fb_2ecpp");
  CHECK(app_function("") == "fairway_app");
  CHECK(app_function("shop") == "shop_app");
}

TEST_CASE("texts survive as literals and comments") {
  CHECK(string_literal("a\"b\\c\n\x01"
                       "1") == "\"a\\\"b\\\\c\\n\\0011\"");
  CHECK(comment_text("one\ntwo \\") == "one two");
  CHECK(comment_text("why?\?/") == "why?\?");
  CHECK(string_literal("?\?/") == R"("?\?/")");
}

TEST_CASE("no line terminator of any language ends a comment") {
  for (const char* end :
       {"\n", "\r", "\v", "\f", "\x7F", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
    CHECK(comment_text(std::string("a") + end + end + "b") == "a  b");
  }
  CHECK(banner("//", "A\xE2\x80\xA8throw 1;").starts_with("// A throw 1;.\n// "));
}

TEST_CASE("names are unique within a scope") {
  Scope scope = {"taken"};
  CHECK(scope.add("a") == "a");
  CHECK(scope.add("a") == "a_");
  CHECK(scope.add("taken") == "taken_");
}

}  // namespace cpp_names_test
