#include "model/cpp_names.hpp"

#include <doctest/doctest.h>

#include "emit/source_parts.hpp"

namespace cpp_names_test {

using namespace fairway::emit;
using namespace fairway::model;

TEST_CASE("cpp names: every string maps to a valid identifier") {
  CHECK(cpp_name("name") == "name");
  CHECK(cpp_name("x-trace-id") == "x_trace_id");
  CHECK(cpp_name("1st") == "_1st");
  CHECK(cpp_name("class") == "class_");
  CHECK(cpp_name("linux") == "linux_");
  CHECK(cpp_name("") == "_");
  CHECK(cpp_name("a - b") == "a_b");
}

TEST_CASE("cpp names: names in capitals, which may be macros, end with an underscore") {
  CHECK(cpp_name("EUR") == "EUR_");
  CHECK(cpp_name("INT_MAX") == "INT_MAX_");
  CHECK(cpp_name("INT-MAX_") == "INT_MAX_");
  CHECK(cpp_name("B0") == "B0_");
  CHECK(cpp_name("I") == "I_");
  CHECK(cpp_name("EUr") == "EUr");
  CHECK(cpp_name("1_000") == "_1_000");
}

TEST_CASE("cpp names: no name is a reserved identifier") {
  CHECK(cpp_name("a__b") == "a_b");
  CHECK(cpp_name("_Name") == "Name_");
  CHECK(cpp_name("-Name") == "Name_");
  CHECK(cpp_name("__NAME__") == "NAME_");
  CHECK(cpp_name("_id") == "_id");
}

TEST_CASE("cpp names: non-ASCII letters are kept if all compilers accept them in identifiers") {
  CHECK(cpp_name("\u00e9t\u00e9") == "\u00e9t\u00e9");
  CHECK(cpp_name("\u00c9T\u00c9") == "\u00c9T\u00c9");
  CHECK(cpp_name("\u65e5\u672c") == "\u65e5\u672c");
  CHECK(cpp_name("\U00020000") == "\U00020000");
  CHECK(cpp_name("\u0939\u093f\u0928\u094d\u0926\u0940") == "\u0939\u093f\u0928\u094d\u0926\u0940");
  CHECK(cpp_name("\u0663") == "_\u0663");  // a digit
  CHECK(cpp_name("e\u0301") == "e_");      // not in the normal form NFC
  CHECK(cpp_name("\u212a") == "_");        // the sign of the unit kelvin, which is 'K' in NFC
  CHECK(cpp_name("\U0001f642") == "_");    // a symbol
  CHECK(cpp_name("caf\xE9") == "caf_");    // not UTF-8
  CHECK(cpp_name("a\u200bb") == "a_b");    // a space without a width
  CHECK(type_name("gr\u00f6\u00dfe-\u00e4ndern") == "Gr\u00f6\u00dfe\u00e4ndern");
}

TEST_CASE("cpp names: distinct names of several strings do not depend on their order") {
  const auto names = [](std::vector<std::string> texts) {
    NameScope scope = {"taken"};
    return distinct_cpp_names(texts, scope);
  };
  using Names = std::vector<std::string>;
  CHECK(names({"a b", "a-b", "a_b", "c d"}) == Names{"a_x20_b", "a_x2d_b", "a_b", "c_d"});
  CHECK(names({"c d", "a_b", "a-b"}) == Names{"c_d", "a_b", "a_x2d_b"});
  CHECK(names({"+1", "-1", "1"}) == Names{"_x2b_1", "_x2d_1", "_1"});
  CHECK(names({"taken"}) == Names{"taken_"});
}

TEST_CASE("cpp names: names in the OpenAPI document are ASCII and may be C++ keywords") {
  CHECK(pascal_case("NULL") == "NULL");
  CHECK(pascal_case("get-caf\u00e9s") == "GetCafS");
  CHECK(pascal_case("2fa") == "_2fa");
}

TEST_CASE("cpp names: types are in PascalCase") {
  CHECK(type_name("createUsers") == "CreateUsers");
  CHECK(type_name("line-item") == "LineItem");
  CHECK(type_name("users.list v2") == "UsersListV2");
  CHECK(type_name("null") == "Null");
  CHECK(type_name("NULL") == "NULL_");
  CHECK(type_name("2fa") == "_2fa");
  CHECK(type_name("--") == "_");
}

TEST_CASE("cpp names: the namespace of a route file is its path") {
  CHECK(namespace_of("routes/api/users.cpp") == "routes::api::users");
  CHECK(namespace_of("routes/v1.2/my-users.cpp") == "routes::v1_2::my_users");
  CHECK(namespace_of("routes/index.cpp") == "routes::index");
  CHECK(namespace_of("routes/std/default.cpp") == "routes::std_::default_");
}

TEST_CASE("cpp names: an export name encodes the path of its file") {
  CHECK(export_name("routes/users.cpp", "") == "fairway_export_routes_2fusers_2ecpp");
  CHECK(export_name("routes/a_b.cpp", "shop") == "fairway_export_shop_routes_2fa_5fb_2ecpp");
  CHECK(app_function("") == "fairway_app");
  CHECK(app_function("shop") == "shop_app");
}

TEST_CASE("cpp names: strings are escaped in literals and comments") {
  CHECK(string_literal("a\"b\\c\n\x01"
                       "1") == "\"a\\\"b\\\\c\\n\\0011\"");
  CHECK(comment_text("one\ntwo \\") == "one two");
  CHECK(comment_text("why?\?/") == "why?\?");
  CHECK(string_literal("?\?/") == R"("?\?/")");
}

TEST_CASE("cpp names: no line terminator of any language ends a comment") {
  for (const char* end :
       {"\n", "\r", "\v", "\f", "\x7F", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
    CHECK(comment_text(std::string("a") + end + end + "b") == "a  b");
  }
  CHECK(banner("//", "A\xE2\x80\xA8throw 1;").starts_with("// A throw 1;.\n// "));
}

TEST_CASE("cpp names: names are unique within a scope") {
  NameScope scope = {"taken"};
  CHECK(scope.add("a") == "a");
  CHECK(scope.add("a") == "a_");
  CHECK(scope.add("a") == "a_2");
  CHECK(scope.add("taken") == "taken_");
  CHECK(scope.add("taken_") == "taken_2");
}

}  // namespace cpp_names_test
