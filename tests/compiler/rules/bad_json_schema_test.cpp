// JSON Schemas as strings in the options of a route.
#include <doctest/doctest.h>

#include "support/builders.hpp"

namespace bad_json_schema_test {

using namespace fairway;
using namespace fairway::testing;

TEST_CASE("[bad-json-schema] a JSON Schema string must be JSON and a schema") {
  const auto with = [](const std::string& schema) {
    return options({{"responses", entries({{"200", call("json_schema", {text(schema)})}})}});
  };
  CHECK(option_errors(with(R"({"type": "object", "properties": {"a": {"type": ["string", "null"]}},
                        "required": ["a"], "x-any": 1, "anyOf": [true, {"minLength": 1}]})"))
            .empty());
  CHECK(option_errors(with("{")).starts_with("bad-json-schema: this is not JSON: "));
  CHECK(option_errors(with("[]")) ==
        "bad-json-schema: this is not a JSON Schema: it must be an object, true or false\n");
  CHECK(option_errors(with(R"({"type": "strin"})")) ==
        "bad-json-schema: this is not a JSON Schema: '/type' names the unknown type 'strin'\n");
  CHECK(option_errors(with(R"({"properties": {"a": {"minLength": -1}}})")) ==
        "bad-json-schema: this is not a JSON Schema: '/properties/a/minLength' must be an "
        "integer of at least 0\n");
  CHECK(option_errors(with(R"({"required": "a"})")) ==
        "bad-json-schema: this is not a JSON Schema: '/required' must be a list of strings\n");
  CHECK(option_errors(with(R"({"items": {"oneOf": [{"type": 5}]}})")) ==
        "bad-json-schema: this is not a JSON Schema: '/items/oneOf/0/type' must be the name of a "
        "type, or a list of type names\n");
  CHECK(option_errors(with(R"({"maximum": 1e400})")) ==
        "bad-json-schema: this is not JSON: number overflow parsing '1e400'\n");
}

TEST_CASE("[bad-json-schema] patternProperties must be supported regular expressions") {
  const auto with = [](const std::string& schema) {
    return options({{"responses", entries({{"200", call("json_schema", {text(schema)})}})}});
  };
  CHECK(
      option_errors(with(R"({"patternProperties": {"^x-[a-z]+$": {"type": "string"}}})")).empty());
  CHECK(option_errors(with(R"({"patternProperties": {"(": {}}})")) ==
        "bad-json-schema: this is not a JSON Schema: '/patternProperties' cannot be used: the "
        "pattern '(' is not a supported regular expression: missing ): (\n");
  CHECK(option_errors(with(R"({"items": {"patternProperties": {"^(?!x)y": {}}}})")) ==
        "bad-json-schema: this is not a JSON Schema: '/items/patternProperties' cannot be used: "
        "the pattern '^(?!x)y' is not a supported regular expression: invalid perl operator: "
        "(?!\n");
  // RE2 knows more than ECMAScript, which tools use that read the document.
  CHECK(option_errors(with(R"({"patternProperties": {"(?i)^x-": {}}})")) ==
        "bad-json-schema: this is not a JSON Schema: '/patternProperties' cannot be used: "
        "'(?i)^x-' is not a regular expression: there is no group '(?i'\n");
  CHECK(option_errors(with(R"s({"items": {"patternProperties": {"^(?P<name>x)": {}}}})s")) ==
        "bad-json-schema: this is not a JSON Schema: '/items/patternProperties' cannot be used: "
        "'^(?P<name>x)' is not a regular expression: there is no group '(?P'\n");
  // A pattern of strings is the client's business, which knows more than the runtime.
  CHECK(option_errors(with(R"({"type": "string", "pattern": "^(?!x)y"})")).empty());
}

TEST_CASE(
    "[bad-json-schema] all keywords of the 2020-12 vocabularies are known, and pointers are "
    "escaped") {
  const auto errors_in = [](const std::string& schema) {
    return option_errors(
        options({{"responses", entries({{"200", call("json_schema", {text(schema)})}})}}));
  };
  const std::string begin = "bad-json-schema: this is not a JSON Schema: ";
  CHECK(errors_in(R"({"properties": {"a/b~": {"type": 1}}})") ==
        begin + "'/properties/a~1b~0/type' must be the name of a type, or a list of type names\n");
  CHECK(errors_in(R"({"dependentSchemas": {"a": 1}})") ==
        begin + "'/dependentSchemas/a' must be an object, true or false\n");
  CHECK(errors_in(R"({"dependentRequired": {"a": ["b", 1]}})") ==
        begin + "'/dependentRequired' must be an object of lists of strings\n");
  CHECK(errors_in(R"({"unevaluatedProperties": "no"})") ==
        begin + "'/unevaluatedProperties' must be an object, true or false\n");
  CHECK(errors_in(R"({"unevaluatedItems": {"type": "strin"}})") ==
        begin + "'/unevaluatedItems/type' names the unknown type 'strin'\n");
  CHECK(errors_in(R"({"minContains": -1})") ==
        begin + "'/minContains' must be an integer of at least 0\n");
  CHECK(errors_in(R"({"maxContains": 0.5})") ==
        begin + "'/maxContains' must be an integer of at least 0\n");
  CHECK(errors_in(R"({"$anchor": 1})") == begin + "'/$anchor' must be a string\n");
  CHECK(errors_in(R"({"multipleOf": 0})") == begin + "'/multipleOf' must be a positive number\n");
  CHECK(errors_in(R"({"contentSchema": []})") ==
        begin + "'/contentSchema' must be an object, true or false\n");
  CHECK(errors_in(R"({"dependentSchemas": {"a": true}, "dependentRequired": {"a": []}, "$id": "a",
                  "unevaluatedItems": false, "minContains": 0, "maxContains": 2, "examples": []})") ==
        "");
}

TEST_CASE("[bad-json-schema] a reference must lead to a schema within the string") {
  const auto errors_in = [](const std::string& schema) {
    return option_errors(
        options({{"responses", entries({{"200", call("json_schema", {text(schema)})}})}}));
  };
  const std::string begin = "bad-json-schema: this is not a JSON Schema: ";
  CHECK(errors_in(R"({"$ref": "#foo", "$defs": {"x": {"$anchor": "foo"}}})") == "");
  CHECK(errors_in(R"({"$ref": "#/$defs/a~1b%20c", "$defs": {"a/b c": {}}})") == "");
  CHECK(errors_in(R"({"$ref": "#/definitions/A", "definitions": {"A": {}}})") == "");
  CHECK(errors_in(R"({"properties": {"a": {"$ref": "#/$defs/b"}}})") ==
        begin + "'/properties/a/$ref' refers to '#/$defs/b', where there is no schema\n");
  CHECK(errors_in(R"({"$defs": {"x": {"$ref": "#foo"}}})") ==
        begin + "'/$defs/x/$ref' refers to '#foo', where there is no schema\n");
  CHECK(errors_in(R"({"items": {"$ref": "#/const"}, "const": {}})") ==
        begin + "'/items/$ref' refers to '#/const', where there is no schema\n");
  CHECK(errors_in(R"({"$ref": "https://example.com/x"})") ==
        begin +
            "'/$ref' refers to 'https://example.com/x'; only references within the schema "
            "('#/…') are possible\n");
  CHECK(
      errors_in(R"({"discriminator": {"propertyName": "k", "mapping": {"a": "#/x", "b": "B"}}})") ==
      begin + "'/discriminator/mapping/a' refers to '#/x', where there is no schema\n");
  CHECK(errors_in(R"({"$ref": "#"})") == begin + "'/$ref' makes the schema infinitely recursive\n");
  CHECK(errors_in(R"({"$ref": "#/$defs/A", "$defs": {"A": {"allOf": [{"$ref": "#/$defs/B"}]},
                      "B": {"$ref": "#/$defs/A"}}})") ==
        begin + "'/$defs/B/$ref' makes the schema infinitely recursive\n");
  CHECK(errors_in(R"({"properties": {"a": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}})") == "");
  CHECK(errors_in(R"({"const": {"$ref": "#/x"}, "default": {"$ref": 1}, "x-a": {"$ref": "#"}})") ==
        "");
}

TEST_CASE("[bad-json-schema] $id, $anchor and $dynamicRef are restricted") {
  const auto errors_in = [](const std::string& schema) {
    return option_errors(
        options({{"responses", entries({{"200", call("json_schema", {text(schema)})}})}}));
  };
  const std::string begin = "bad-json-schema: this is not a JSON Schema: ";
  CHECK(errors_in(R"({"$id": "https://x/y", "type": "string"})") == "");
  CHECK(errors_in(R"({"$defs": {"a": {"$id": "https://x/y"}}})") ==
        begin +
            "'/$defs/a/$id' changes the base of the references below it; only the whole schema "
            "can have an '$id'\n");
  CHECK(errors_in(R"({"$dynamicRef": "#a", "$dynamicAnchor": "a"})") ==
        begin + "'/$dynamicRef' is not supported; '$ref' has the same meaning within one schema\n");
  CHECK(errors_in(R"({"$anchor": "/a"})") ==
        begin +
            "'/$anchor' must be a letter or '_', followed by letters, digits, '-', '_' and "
            "'.'\n");
  CHECK(errors_in(R"({"$anchor": "a", "items": {"$anchor": "a"}})") ==
        begin + "'/items/$anchor' repeats the anchor of another schema\n");
}

TEST_CASE("[bad-json-schema] patterns must be ECMAScript regular expressions") {
  const auto error_of = [](const std::string& pattern) {
    const model::Json schema = {{"type", "string"}, {"pattern", pattern}};
    const std::string found = option_errors(
        options({{"responses", entries({{"200", call("json_schema", {text(schema.dump())})}})}}));
    const std::string begin =
        "bad-json-schema: this is not a JSON Schema: '/pattern' is not a regular expression: ";
    return found.empty() ? "" : found.substr(begin.size(), found.size() - begin.size() - 1);
  };
  for (const char* valid : {"",
                            "(?<=a)b",
                            "\\p{L}+",
                            "(a+)+$",
                            "^(?!x)y",
                            "a{2,3}?b{2}c{1,}",
                            "[]",
                            "[^]]",
                            "[a-z\\]-]",
                            "(?:a|b)*?",
                            "(?<name>a)\\k<name>",
                            "a{b}",
                            "{",
                            "]",
                            "\\u{1F600}+",
                            "\\p{Script=Greek}\\p{Alphabetic}",
                            "(a)\\1",
                            "[^]",
                            "(?=a)*",
                            "[é-ü]",
                            "(?i:a)",
                            "x\\/y",
                            "^$",
                            "[*+?(]"}) {
    CHECK(error_of(valid) == "");
  }
  CHECK(error_of("(") == "a ')' is missing");
  CHECK(error_of("(a") == "a ')' is missing");
  CHECK(error_of("a)") == "a '(' is missing");
  CHECK(error_of("[a") == "a ']' is missing");
  CHECK(error_of("[a\\]") == "a ']' is missing");
  CHECK(error_of("*a") == "'*' has nothing to repeat");
  CHECK(error_of("a|+") == "'+' has nothing to repeat");
  CHECK(error_of("a**") == "'*' has nothing to repeat");
  CHECK(error_of("(?<=a)*") == "'*' has nothing to repeat");
  CHECK(error_of("^{2}") == "'{2}' has nothing to repeat");
  CHECK(error_of("a{3,2}") == "the count '{3,2}' is out of order");
  CHECK(error_of("[z-a]") == "the range 'z-a' is out of order");
  CHECK(error_of("a\\") == "'\\' is at the end");
  CHECK(error_of("(?i)abc") == "there is no group '(?i'");
  CHECK(error_of("(?P<x>a)") == "there is no group '(?P'");
  CHECK(error_of("[[:alpha:]]+") == "ECMAScript has no '[:alpha:]'");
  CHECK(error_of("\\Aab") == "ECMAScript has no '\\A'");
  CHECK(error_of("\\p{Greek}") == "ECMAScript has no '\\p{Greek}'");
  CHECK(error_of("(?<1>a)") == "a group has an invalid name");
}

TEST_CASE("[bad-json-schema] duplicate members and deep nesting are located in the string") {
  const auto found = [](const std::string& schema) {
    return checked({route_file(
                       "routes/a.cpp",
                       {route("GET", "/",
                              options({{"responses",
                                        entries({{"200", call("json_schema",
                                                              {text_at(7, 20, schema)})}})}}))})})
        .diagnostics;
  };
  const auto repeated = found(R"({"type": "object", "a\"": {"b": 1}, "\u0074ype": "x"})");
  REQUIRE(repeated.size() == 1);
  CHECK(repeated[0].message == "the member 'type' is declared twice");
  CHECK(repeated[0].range.column == 57);
  REQUIRE(repeated[0].notes.size() == 1);
  CHECK(repeated[0].notes[0].range.column == 22);
  CHECK(found(R"({"const": {"type": 1}, "enum": [{"type": 1}, {"type": 2}]})").empty());
  const auto nested = [&](std::size_t levels) {
    return R"({"enum":)" + std::string(levels, '[') + std::string(levels, ']') + "}";
  };
  CHECK(found(nested(399)).empty());
  for (const std::size_t levels : {400U, 20'000U}) {
    const auto deep = found(nested(levels));
    REQUIRE(deep.size() == 1);
    CHECK(deep[0].message == "the JSON Schema is nested more than 400 levels deep");
  }
  const auto misplaced = found(R"({"items": {"type": "strin"}})");
  REQUIRE(misplaced.size() == 1);
  CHECK(misplaced[0].range.column == 32);
  CHECK(misplaced[0].range.end_column == 38);
}

TEST_CASE("[bad-json-schema] the caret points at the JSON syntax error") {
  const auto resolution = checked({route_file(
      "routes/a.cpp",
      {route("GET", "/",
             options({{"responses", entries({{"200", call("json_schema",
                                                          {text_at(7, 20, "{\"a\" 1}")})}})}}))})});
  REQUIRE(resolution.diagnostics.size() == 1);
  CHECK(resolution.diagnostics[0].range.line == 7);
  CHECK(resolution.diagnostics[0].range.column == 26);
}

}  // namespace bad_json_schema_test
