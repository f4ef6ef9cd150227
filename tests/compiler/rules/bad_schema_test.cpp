#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "resolve/value_json.hpp"
#include "rules/route_rules.hpp"
#include "support/builders.hpp"

namespace bad_schema_test {

using namespace fairway;
using namespace fairway::testing;
using fairway::rules::declared_field;
using fairway::rules::Reporter;

namespace {

fw::schema::Node declared(const model::Value& value) {
  model::Diagnostics diagnostics;
  Reporter reporter(diagnostics);
  auto result = declared_field(value, reporter);
  CHECK(summary(diagnostics) == "");
  return result;
}

model::Diagnostics errors(const model::Value& value) {
  model::Diagnostics diagnostics;
  Reporter reporter(diagnostics, "POST", "/users");
  declared_field(value, reporter);
  return diagnostics;
}

}  // namespace

TEST_CASE("schema reader: every form of a field is read and printed in manifest notation") {
  const auto fields = entries({
      {"name", text("string:1-50")},
      {"address", entries({{"city", text("string")}, {"zip", text("string?")}})},
      {"tags", call("array_of", {entries({{"key", text("string")}})})},
  });
  CHECK(
      resolve::schema_json(fields).dump() ==
      R"({"name":"string:1-50","address":{"city":"string","zip":"string?"},"tags":[{"key":"string"}]})");
  const auto object = declared(fields);
  REQUIRE(object.fields.size() == 3);
  CHECK(object.kind == fw::schema::Kind::object);
  CHECK(object.fields[0].node.max == 50);
  CHECK(object.fields[1].node.fields[1].name == "zip");
  CHECK_FALSE(object.fields[1].node.fields[1].node.required);
  CHECK(object.fields[2].node.kind == fw::schema::Kind::array);
  REQUIRE(object.fields[2].node.items);
  CHECK(object.fields[2].node.items->fields[0].name == "key");
}

TEST_CASE("schema reader: a field builder keeps its description") {
  model::Value builder = call("compile_field", {text("email")});
  builder.members.push_back({"description", text("Where to write"), {}});
  const auto field = declared(builder);
  CHECK(field.kind == fw::schema::Kind::email);
  CHECK(field.description == "Where to write");
  CHECK(resolve::schema_json(builder).dump() ==
        R"({"$field":"email","description":"Where to write"})");
}

TEST_CASE("[bad-schema] the caret points at the error inside the string literal") {
  const auto found = errors(text_at(9, 30, "strin:5"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].id == "bad-schema");
  CHECK(found[0].message == "unknown type 'strin'");
  CHECK(found[0].range.line == 9);
  CHECK(found[0].range.column == 31);
  CHECK(found[0].range.end_column == 36);
  CHECK(found[0].method == "POST");
  CHECK(found[0].route == "/users");
  CHECK_FALSE(found[0].help.empty());
}

TEST_CASE("[bad-schema] an empty string or a constant is reported at the range of the value") {
  const auto empty = errors(text_at(9, 30, ""));
  REQUIRE(empty.size() == 1);
  CHECK(empty[0].range.column == 30);
  model::Value constant = text("strin");
  constant.range = {"limits.hpp", 3, 5, 3, 9};
  CHECK(summary(errors(constant)) == "limits.hpp:3:5 bad-schema: unknown type 'strin'\n");
}

TEST_CASE("[bad-schema] every error of an object is reported") {
  const auto found = errors(entries({{"a", text("strin")},
                                     {"b", entries({{"c", text("string:5-1")}})},
                                     {"d", call("array_of", {entries({{"e", text("enum:")}})})},
                                     {"f", call("compile_field", {text("emial")})}}));
  CHECK(found.size() == 4);
}

TEST_CASE("[bad-schema] a field without a name and a duplicate field are errors") {
  CHECK(summary(errors(entries({{"", text("string")}}))) ==
        ":0:0 bad-schema: a field has no name\n");
  const auto twice = errors(entries({{"a", text("string")}, {"a", text("number")}}));
  CHECK(summary(twice) == ":0:0 bad-schema: the field 'a' is declared twice\n");
  REQUIRE(twice.size() == 1);
  CHECK(twice[0].notes.size() == 1);
}

TEST_CASE("[bad-schema] a field name must not end in a type suffix") {
  const auto of = [](model::Value name, model::Value field) {
    std::string lines;
    for (const auto& each : errors(list({list({std::move(name), std::move(field)})}))) {
      lines += summary({each}) + each.help + "\n";
    }
    return lines;
  };
  CHECK(of(text_at(9, 30, "address?"), entries({{"city", text("string")}})) ==
        ":9:38 bad-schema: the name of a field must not end in '?'\n"
        "write 'fw::optional(…)' around the object or the array\n");
  CHECK(of(text("zip?"), text("string:5")) ==
        ":0:0 bad-schema: the name of a field must not end in '?'\n"
        "put it at the end of the type: {\"zip\", \"string:5?\"}\n");
  CHECK(of(text("zip!"), text("string")) ==
        ":0:0 bad-schema: the name of a field must not end in '!'\n"
        "remove it: a field is required without a suffix\n");
}

TEST_CASE("[schema-builder-misuse] a value that is not a schema is an error") {
  CHECK(summary(errors(integer(5))) == ":0:0 schema-builder-misuse: this is not a schema\n");
  CHECK(summary(errors(call("array_of", {}))) ==
        ":0:0 schema-builder-misuse: this is not a schema\n");
  CHECK(summary(errors(call("compile_field", {integer(1)}))) ==
        ":0:0 schema-builder-misuse: this is not a schema\n");
  CHECK(summary(errors(call("optional", {text("string")}))) ==
        ":0:0 schema-builder-misuse: this is not a schema\n");
  CHECK(summary(errors(list({text("just a name")}))) ==
        ":0:0 schema-builder-misuse: this is not a schema\n");
}

TEST_CASE("[bad-schema] a pattern is what RE2 and ECMAScript share") {
  const auto error_of = [](const std::string& schema) {
    std::string lines;
    for (const auto& each : errors(text_at(7, 20, schema))) {
      const std::size_t begin = each.range.column - 21;
      lines += fmt::format("{} {} | {} | {}", each.id,
                           schema.substr(begin, each.range.end_column - each.range.column),
                           each.message, each.help);
    }
    return lines;
  };
  const std::string begin = "the pattern is not a regular expression of ECMAScript: ";
  struct Case {
    std::string pattern, part, message, help;
  };
  for (const Case& each : std::vector<Case>{
           {"a(?i)b", "(?i", "there is no group '(?i'", "list both cases: '[Aa]'"},
           {"(?s).", "(?s", "there is no group '(?s'", R"(write '[\s\S]' for any character)"},
           {"(?P<n>a)", "(?P", "there is no group '(?P'", "write '(…)'"},
           {"[_[:alpha:]]+", "[:alpha:]", "ECMAScript has no '[:alpha:]'", "write '[A-Za-z]'"},
           {"[[:^digit:]]", "[:^digit:]", "ECMAScript has no '[:^digit:]'", "write '[^0-9]'"},
           {R"(\Aab)", R"(\A)", R"(ECMAScript has no '\A')", "write '^'"},
           {R"(ab\z)", R"(\z)", R"(ECMAScript has no '\z')", "write '$'"},
           {R"(\Qa.b\E)", R"(\Q)", R"(ECMAScript has no '\Q')",
            R"(write '\' before each character that has a meaning: '\.')"},
           {R"(\pL+)", R"(\pL)", R"(ECMAScript has no '\pL')", R"(write '\p{L}')"},
           {R"([\PN])", R"(\PN)", R"(ECMAScript has no '\PN')", R"(write '\P{N}')"},
           {R"(\p{^Lu})", R"(\p{^Lu})", R"(ECMAScript has no '\p{^Lu}')", R"(write '\P{Lu}')"},
           {R"(\p{Greek})", R"(\p{Greek})", R"(ECMAScript has no '\p{Greek}')",
            "list the characters, such as '[α-ω]'"},
           {R"(\x{41})", R"(\x{41})", R"(ECMAScript has no '\x{41}')",
            R"(write '\x' and two digits, or the character)"},
           {R"(\101)", R"(\101)", R"(ECMAScript has no '\101')",
            R"(write '\x' and two hexadecimal digits)"},
           {"[]a]+", "[]", "'[]' means something else in ECMAScript",
            R"(write '\]' for the character ']')"},
           {"[^]a]+", "[^]", "'[^]' means something else in ECMAScript",
            R"(write '\]' for the character ']')"}}) {
    CAPTURE(each.pattern);
    CHECK(error_of("string:1-5/" + each.pattern + "/") ==
          fmt::format("bad-schema {} | {}{} | {}", each.part, begin, each.message, each.help));
  }
  CHECK(error_of("array<string:/(?i)a/>:1-3").starts_with("bad-schema (?i | "));
  for (const std::string valid :
       {R"(^[a-z]+$)", R"(\p{L}\P{Lu}[\p{Nd}]\p{Any})", R"(\d\w\s\b\x41\t\0)",
        R"([\]a][^\]a][:alpha:])", "(?i:a)(?:b)", R"([\[:\/a-z]+)"}) {
    CAPTURE(valid);
    CHECK(error_of("string:/" + valid + "/") == "");
  }
}

}  // namespace bad_schema_test
