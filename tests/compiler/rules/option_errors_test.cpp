// What is wrong with the options of a route.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/builders.hpp"

namespace option_errors_test {

using namespace fairway;
using namespace fairway::testing;

namespace {

std::string errors(const model::Value& value) {
  const auto resolution = checked({route_file("routes/users.cpp", {route("POST", "/:id", value)})});
  std::string lines;
  for (const auto& diagnostic : resolution.diagnostics) {
    lines += diagnostic.id + ": " + diagnostic.message + "\n";
  }
  return lines;
}

model::Value frontend(Named members) {
  return options({{"frontend", record("Frontend", std::move(members))}});
}

}  // namespace

TEST_CASE("[bad-schema] path parameters and cookies cannot be arrays") {
  const auto of = [](const std::string& location) {
    return errors(options({{"validate", validate(location, {{"id", text("array<string>")}})}}));
  };
  CHECK(of("param") == "bad-schema: a path parameter has one value and cannot be an array\n");
  CHECK(of("cookie") == "bad-schema: a cookie has one value and cannot be an array\n");
  for (const char* location : {"query", "header", "body"}) CHECK(of(location).empty());
}

TEST_CASE("[unknown-path-parameter] validate.param may contain only parameters of the path") {
  CHECK(errors(options({{"validate", validate("param", {{"id", text("uuid")}})}})).empty());
  CHECK(errors(options({{"validate", validate("param", {{"userId", text("uuid")}})}})) ==
        "unknown-path-parameter: the path has no parameter 'userId'\n");
}

TEST_CASE("[bad-response-selector] selectors are statuses, families and default, each only once") {
  const auto with = [](const std::vector<std::string>& selectors) {
    Named pairs;
    for (const std::string& selector : selectors) pairs.emplace_back(selector, text("string"));
    return options({{"responses", entries(pairs)}});
  };
  CHECK(errors(with({"200", "404", "5xx", "default", "2xx", "599"})).empty());
  for (const char* bad : {"20x", "2XX", "600", "99", "2000", "", "ok"}) {
    CAPTURE(bad);
    CHECK(errors(with({bad})) ==
          "bad-response-selector: '" + std::string(bad) + "' is not a response selector\n");
  }
  CHECK(errors(with({"200", "200"})) ==
        "bad-response-selector: the selector '200' is declared twice\n");
  CHECK(errors(options(
            {{"docs",
              record("Docs", {{"responses", entries({{"abc", record("ResponseDocs", {})}})}})}})) ==
        "bad-response-selector: 'abc' is not a response selector\n");
}

TEST_CASE("[bad-json-schema] a JSON Schema string must be JSON and a schema") {
  const auto with = [](const std::string& schema) {
    return options({{"responses", entries({{"200", call("json_schema", {text(schema)})}})}});
  };
  CHECK(errors(with(R"({"type": "object", "properties": {"a": {"type": ["string", "null"]}},
                        "required": ["a"], "x-any": 1, "anyOf": [true, {"minLength": 1}]})"))
            .empty());
  CHECK(errors(with("{")).starts_with("bad-json-schema: this is not JSON: "));
  CHECK(errors(with("[]")) ==
        "bad-json-schema: this is not a JSON Schema: it must be an object, true or false\n");
  CHECK(errors(with(R"({"type": "strin"})")) ==
        "bad-json-schema: this is not a JSON Schema: '/type' names the unknown type 'strin'\n");
  CHECK(errors(with(R"({"properties": {"a": {"minLength": -1}}})")) ==
        "bad-json-schema: this is not a JSON Schema: '/properties/a/minLength' must be an "
        "integer of at least 0\n");
  CHECK(errors(with(R"({"required": "a"})")) ==
        "bad-json-schema: this is not a JSON Schema: '/required' must be a list of strings\n");
  CHECK(errors(with(R"({"items": {"oneOf": [{"type": 5}]}})")) ==
        "bad-json-schema: this is not a JSON Schema: '/items/oneOf/0/type' must be the name of a "
        "type, or a list of type names\n");
  CHECK(errors(with(R"({"maximum": 1e400})")) ==
        "bad-json-schema: this is not JSON: number overflow parsing '1e400'\n");
}

TEST_CASE("[bad-json-schema] patternProperties must be supported regular expressions") {
  const auto with = [](const std::string& schema) {
    return options({{"responses", entries({{"200", call("json_schema", {text(schema)})}})}});
  };
  CHECK(errors(with(R"({"patternProperties": {"^x-[a-z]+$": {"type": "string"}}})")).empty());
  CHECK(errors(with(R"({"patternProperties": {"(": {}}})")) ==
        "bad-json-schema: this is not a JSON Schema: '/patternProperties' cannot be used: the "
        "pattern '(' is not a supported regular expression: missing ): (\n");
  CHECK(errors(with(R"({"items": {"patternProperties": {"^(?!x)y": {}}}})")) ==
        "bad-json-schema: this is not a JSON Schema: '/items/patternProperties' cannot be used: "
        "the pattern '^(?!x)y' is not a supported regular expression: invalid perl operator: "
        "(?!\n");
  // A pattern of strings is the client's business, which knows more than the runtime.
  CHECK(errors(with(R"({"type": "string", "pattern": "^(?!x)y"})")).empty());
}

TEST_CASE(
    "[bad-json-schema] all keywords of the 2020-12 vocabularies are known, and pointers are "
    "escaped") {
  const auto errors_in = [](const std::string& schema) {
    return errors(
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
    return errors(
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
    return errors(
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
    const std::string found = errors(
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

TEST_CASE("[conflicting-options] a response without a body has no schema") {
  const auto schema = entries({{"a", text("string")}});
  for (const char* status : {"101", "1xx", "204", "205", "304"}) {
    const std::string begin = "conflicting-options: ";
    CHECK(errors(options({{"responses", entries({{status, schema}})}})) ==
          begin + "'responses' declares a schema for '" + status + "', which has no body\n");
    const auto documented = [&](const Named& members) {
      return errors(options(
          {{"docs", record("Docs", {{"responses",
                                     entries({{status, record("ResponseDocs", members)}})}})}}));
    };
    CHECK(documented({{"description", text("Nothing")}}) == "");
    CHECK(documented({{"schema", schema}}) ==
          begin + "'docs.responses' declares 'schema' for '" + status + "', which has no body\n");
    CHECK(documented({{"content_type", text("text/csv")}}) == begin +
                                                                  "'docs.responses' declares "
                                                                  "'content_type' for '" +
                                                                  status +
                                                                  "', which has no body\n");
  }
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

TEST_CASE("[duplicate-response-schema] docs.responses must not declare a schema again") {
  const auto with = [](const std::string& documented, const Named& config) {
    return options(
        {{"responses", entries({{"200", entries({{"a", text("string")}})}})},
         {"docs", record("Docs", {{"responses",
                                   entries({{documented, record("ResponseDocs", config)}})}})}});
  };
  CHECK(errors(with("200", {{"schema", text("string")}})) ==
        "duplicate-response-schema: 'docs.responses' also declares a schema for '200'\n");
  CHECK(errors(with("200", {{"description", text("ok")}})).empty());
  CHECK(errors(with("201", {{"schema", text("string")}})).empty());
}

TEST_CASE("[unknown-middleware] a middleware must be a file or declared") {
  const auto files = {
      route_file("routes/a.cpp",
                 {route("GET", "/",
                        options({{"middlewares", list({text("audit-log"), text("brought")})}}))}),
      component_file("middlewares/audit-log.cpp", model::ExportKind::middleware)};
  CHECK(
      summary(checked(files, {.name = "", .source_name = "src", .middlewares = {}}).diagnostics) ==
      "src/routes/a.cpp:2:1 unknown-middleware: there is no middleware 'brought'\n");
  CHECK(checked(files, {.name = "", .source_name = "src", .middlewares = {"brought"}})
            .diagnostics.empty());
}

TEST_CASE("[conflicting-options] options that can only be false") {
  CHECK(errors(options({{"csrf", flag(true)}})) ==
        "conflicting-options: 'csrf' can only be false\n");
  CHECK(errors(options({{"security_headers", flag(true)}})) ==
        "conflicting-options: 'security_headers' can only be false\n");
}

TEST_CASE("[conflicting-options] media types of uploads must be valid") {
  const auto allowed = [](std::vector<model::Value> types) {
    return errors(options(
        {{"multipart", record("Multipart", {{"allowed_mime_types", list(std::move(types))}})}}));
  };
  CHECK(allowed({text("image/png"), text("image/*"), text("application/vnd.a+json")}) == "");
  CHECK(allowed({text("png"), text("*/*"), text("image/p*"), text("text/csv; charset=utf-8"),
                 text("image/"), text("")}) ==
        "conflicting-options: '' is not a media type\n"
        "conflicting-options: '*/*' is not a media type\n"
        "conflicting-options: 'image/' is not a media type\n"
        "conflicting-options: 'image/p*' is not a media type\n"
        "conflicting-options: 'png' is not a media type\n"
        "conflicting-options: 'text/csv; charset=utf-8' is not a media type\n");
}

TEST_CASE("[conflicting-options] a streamed body is not parsed") {
  const auto with = [](bool stream, bool multipart) {
    return errors(options({{"multipart", record("Multipart", {{"enabled", flag(multipart)}})},
                           {"body_parser", record("BodyParser", {{"stream", flag(stream)}})}}));
  };
  CHECK(with(true, true) ==
        "conflicting-options: 'body_parser.stream' excludes 'multipart.enabled'\n");
  CHECK(with(true, false) == "");
  CHECK(with(false, true) == "");
}

TEST_CASE("[conflicting-options] deadlines, caches and sizes must be in range") {
  CHECK(errors(options({{"timeout", integer(0)}})) ==
        "conflicting-options: 'timeout' must be false or a positive number of milliseconds\n");
  CHECK_FALSE(errors(options({{"timeout", flag(true)}})).empty());
  CHECK_FALSE(errors(options({{"cache", flag(true)}})).empty());
  CHECK_FALSE(errors(options({{"cache", integer(-1)}})).empty());
  CHECK(errors(options({{"cache", integer(0)}})).empty());
  CHECK(errors(options({{"cache", record("RouteCacheOptions", {{"ttl", integer(-1)}})}})).empty());
  CHECK(errors(options(
            {{"cache", record("RouteCacheOptions", {{"methods", list({text("get")})}})}})) ==
        "conflicting-options: 'cache.methods' has the unknown method 'get'\n");
  const auto keyed = [](model::Value key) {
    return options({{"cache", record("RouteCacheOptions",
                                     {{"query", list({text("page")})}, {"key", std::move(key)}})}});
  };
  CHECK(errors(keyed(text("k"))) == "conflicting-options: 'cache.key' excludes 'cache.query'\n");
  CHECK(errors(keyed(function())) == "conflicting-options: 'cache.key' excludes 'cache.query'\n");
  CHECK(
      errors(options({{"body_parser", record("BodyParser", {{"max_body_size", text("huge")}})}})) ==
      "conflicting-options: 'body_parser.max_body_size' is not a valid size\n");
  CHECK(errors(options({{"multipart", record("Multipart", {{"max_file_size", text("10 MB")},
                                                           {"max_files", integer(0)}})}})) ==
        "conflicting-options: 'multipart.max_files' must be a positive number of files\n");
  const auto cors = [](Named members) {
    return errors(
        options({{"override_",
                  record("Override", {{"cors", record("CorsOverride", std::move(members))}})}}));
  };
  CHECK(cors({{"origins", list({text("*"), text("null"), text("https://a.example:8443")})},
              {"max_age", integer(0)}}) == "");
  CHECK(cors({{"origins", list({text("a.example"), text("https://a.example/")})}}) ==
        "conflicting-options: 'a.example' is not an origin\n"
        "conflicting-options: 'https://a.example/' is not an origin\n");
  CHECK(cors({{"max_age", integer(-1)}}) ==
        "conflicting-options: 'override_.cors.max_age' must not be negative\n");
  CHECK(cors({{"methods", list({text("Patch"), text("PURGE"), text("a b")})},
              {"headers", list({text("x a")})}}) ==
        "conflicting-options: 'Patch' never matches, because methods are case-sensitive: write "
        "\"PATCH\"\n"
        "conflicting-options: 'a b' is not a method\n"
        "conflicting-options: 'x a' is not the name of a header\n");
  CHECK(errors(options(
            {{"override_",
              record("Override", {{"rate_limit",
                                   record("RateLimitOptions", {{"key_by", text("name")}})}})}})) ==
        "conflicting-options: 'override_.rate_limit.key_by' cannot be 'name'\n");
  CHECK(errors(options({{"override_", record("Override", {{"timeout", integer(-5)},
                                                          {"max_body_size", integer(-1)},
                                                          {"rate_limit", flag(true)}})}}))
            .size() > 3);
}

TEST_CASE("[conflicting-options] an objective is in milliseconds and percent") {
  const auto objective = [](Named members) {
    return errors(options({{"objective", record("Objective", std::move(members))}}));
  };
  CHECK(objective({}) == "");
  CHECK(objective({{"p99", integer(200)}, {"availability", number(99.9)}}) == "");
  CHECK(objective({{"p99", integer(5)}, {"availability", integer(90)}}) == "");
  CHECK(objective({{"p99", integer(9'999)}, {"availability", number(99.999)}}) == "");
  CHECK(objective({{"p99", integer(4)}}) ==
        "conflicting-options: 'objective.p99' must be 5 to 9999 milliseconds, not 4\n");
  CHECK(objective({{"p99", integer(10'000)}}) ==
        "conflicting-options: 'objective.p99' must be 5 to 9999 milliseconds, not 10000\n");
  CHECK(objective({{"availability", number(0.999)}}) ==
        "conflicting-options: 'objective.availability' must be at least 90 and below 100 percent, "
        "not 0.999\n");
  CHECK(objective({{"availability", integer(100)}}) ==
        "conflicting-options: 'objective.availability' must be at least 90 and below 100 percent, "
        "not 100\n");
}

namespace {

/// The errors of a GET route with these options.
std::string page_errors(model::Value options, const std::string& path = "/") {
  std::string lines;
  for (const auto& each :
       checked({route_file("routes/a.cpp", {route("GET", path, std::move(options))})})
           .diagnostics) {
    lines += each.id + ": " + each.message + "\n";
  }
  return lines;
}

}  // namespace

TEST_CASE("[conflicting-options] frontend: the message names both options") {
  const auto page = text("home");
  CHECK(page_errors(frontend({{"static_params", list({})}})) ==
        "conflicting-options: 'frontend.static_params' needs 'frontend.mode' to be 'static'\n");
  CHECK(page_errors(
            frontend({{"mode", text("static")}, {"page", page}, {"revalidate", integer(60)}})) ==
        "conflicting-options: 'frontend.revalidate' needs 'frontend.mode' to be 'revalidate'\n");
  CHECK(page_errors(frontend({{"mode", text("revalidate")}, {"revalidate", integer(0)}})) ==
        "conflicting-options: 'frontend.revalidate' must be a positive number of seconds\n");
  CHECK(page_errors(frontend({{"mode", text("revalidate")}})) ==
        "conflicting-options: 'frontend.mode' 'revalidate' needs 'frontend.revalidate'\n");
  CHECK(page_errors(frontend({{"mode", text("static")}})) ==
        "conflicting-options: 'frontend.mode' 'static' needs 'frontend.page'\n");
  CHECK(page_errors(frontend({{"mode", text("ssr")}})) ==
        "conflicting-options: 'frontend.mode' cannot be 'ssr'\n");
  CHECK(page_errors(frontend({{"hydration", text("full")}})) ==
        "conflicting-options: 'frontend.hydration' cannot be 'full'\n");
  CHECK(page_errors(frontend({{"client_only", flag(true)}})) ==
        "conflicting-options: 'frontend.client_only' needs 'frontend.page'\n");
  CHECK(errors(
            frontend({{"hydration", text("none")}, {"client_only", flag(true)}, {"page", page}})) ==
        "conflicting-options: 'frontend.hydration' 'none' excludes 'frontend.client_only'\n");
  CHECK(page_errors(frontend({{"mode", text("static")}, {"page", page}})) == "");
  // POST /users/:id
  CHECK(errors(frontend({{"mode", text("revalidate")}, {"revalidate", integer(1)}})) ==
        "conflicting-options: 'frontend.mode' 'revalidate' needs a GET route\n");
  CHECK(errors(frontend({{"mode", text("static")},
                         {"page", page},
                         {"static_params", list({entries({{"id", text("1")}})})}})) ==
        "conflicting-options: 'frontend.mode' 'static' needs a GET route\n");
  const auto static_params = [&](model::Value params) {
    return page_errors(
        frontend({{"mode", text("static")}, {"page", page}, {"static_params", std::move(params)}}),
        "/:id");
  };
  CHECK(static_params(list({entries({{"id", text("1")}, {"name", text("A")}})})) == "");
  const std::string wrong =
      "conflicting-options: 'frontend.static_params' must be a list of objects with the parameters "
      "of the path\n";
  CHECK(static_params(list({entries({{"name", text("A")}})})) == wrong);
  CHECK(static_params(text("1")) == wrong);
  CHECK(page_errors(frontend({{"mode", text("static")},
                              {"page", page},
                              {"static_params", list({entries({{"id", text("1")}})})}})) ==
        "conflicting-options: 'frontend.static_params' needs a path with parameters\n");
  CHECK(page_errors(frontend({{"mode", text("static")}, {"page", page}}), "/:id") ==
        "conflicting-options: 'frontend.mode' 'static' needs 'frontend.static_params' for a path "
        "with parameters\n");
  CHECK(page_errors(frontend({{"client_only", flag(true)}, {"page", page}})) == "");
}

TEST_CASE("[conflicting-options] frontend: a stored page excludes options that need the caller") {
  const auto with = [](Named other, std::string mode) {
    Named frontend = {{"mode", text(mode)}, {"page", text("home")}};
    if (mode == "revalidate") frontend.push_back({"revalidate", integer(60)});
    other.push_back({"frontend", record("Frontend", std::move(frontend))});
    return page_errors(options(std::move(other)));
  };
  CHECK(with({{"auth", flag(true)}}, "static") ==
        "conflicting-options: 'frontend.mode' 'static' excludes 'auth'\n");
  CHECK(with({{"auth", flag(true)}}, "revalidate") ==
        "conflicting-options: 'frontend.mode' 'revalidate' excludes 'auth'\n");
  CHECK(with({{"cache", integer(5000)}}, "revalidate") ==
        "conflicting-options: 'frontend.mode' 'revalidate' excludes 'cache'\n");
  CHECK(with({{"cache", integer(5000)}}, "static") ==
        "conflicting-options: 'frontend.mode' 'static' excludes 'cache'\n");
  CHECK(with({{"session", flag(true)}}, "static") ==
        "conflicting-options: 'frontend.mode' 'static' excludes 'session'\n");
  CHECK(with({{"session", flag(true)}}, "revalidate") ==
        "conflicting-options: 'frontend.mode' 'revalidate' excludes 'session'\n");
  const Named query = {{"validate", validate("query", {{"page", text("integer?")}})}};
  CHECK(with(query, "static") ==
        "conflicting-options: 'frontend.mode' 'static' excludes 'validate'\n");
  CHECK(with(query, "revalidate") == "");
  CHECK(with({{"auth", flag(false)}, {"session", flag(false)}}, "revalidate") == "");
}

TEST_CASE("[unknown-page] a missing page is reported with the nearest name") {
  CHECK(page_errors(frontend({{"page", text("hme")}})) == "unknown-page: there is no page 'hme'\n");
  CHECK(page_errors(frontend({{"page", text("home")}})) == "");
}

TEST_CASE("[openapi-invalid] the caret points at the invalid part of the JSON") {
  const auto found = [](model::Value type) {
    const auto content =
        entries({{"text/plain", entries({{"schema", entries({{"type", std::move(type)}})}})}});
    const auto docs = record("Docs", {{"request_body", entries({{"content", content}})}});
    return summary(
        checked({route_file("routes/a.cpp", {route("POST", "/", options({{"docs", docs}}))})})
            .diagnostics);
  };
  CHECK(found(text_at(7, 21, "strin")).starts_with("src/routes/a.cpp:7:21 openapi-invalid: "));
  CHECK(found(list({text("null"), text_at(8, 9, "strin")})).starts_with("src/routes/a.cpp:"));
}

TEST_CASE("[bad-schema] header fields that differ only in case are one field") {
  const Named fields = {{"X-A", text("string")}, {"x-a", text("integer")}};
  CHECK(errors(options({{"validate", validate("header", fields)}})) ==
        "bad-schema: the field 'x-a' is declared twice\n");
  CHECK(errors(options({{"validate", validate("body", fields)}})) == "");
}

TEST_CASE("[response-mismatch] a type is sent with a status that has a schema") {
  const auto with = [](Named route_options, int status, bool is_known = true) {
    auto registration = route("GET", "/", options(std::move(route_options)));
    model::SentResponse sent;
    sent.function = "json";
    sent.statuses = {status};
    sent.range = {.file = "src/routes/a.cpp", .line = 7, .column = 9};
    if (is_known) {
      sent.type.name = "::shop::Member";
      sent.type.schema =
          R"({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]})";
    }
    model::SentResponse error;
    error.function = "raise";
    error.statuses = {404};
    registration.handler.sent = {sent, error};
    std::string lines;
    for (const auto& each : checked({route_file("routes/a.cpp", {registration})}).diagnostics) {
      lines += fmt::format("{}: {}: {}; {}\n", each.range.line, each.id, each.message, each.help);
      CHECK(each.notes.size() == 1);
    }
    return lines;
  };
  const auto responses = [](const std::string& selector) {
    return Named{{"responses", entries({{selector, entries({{"id", text("integer")}})}})}};
  };
  const std::string error =
      "7: response-mismatch: status 201 has no schema in 'responses'; "
      "add '{\"201\", fw::type<shop::Member>}' to 'responses'\n";
  CHECK(with(responses("200"), 201) == error);
  CHECK(with(responses("4xx"), 201) == error);
  for (const char* selector : {"201", "2xx", "default"})
    CHECK(with(responses(selector), 201) == "");
  CHECK(with({}, 201) == "");
  CHECK(with({{"responses", entries({})}}, 201) == "");
  CHECK(with(responses("200"), 201, false) == "");
  const auto docs = [&](Named members) {
    Named all = responses("200");
    all.emplace_back("docs", record("Docs", std::move(members)));
    return all;
  };
  CHECK(with(docs({{"hidden", flag(true)}}), 201) == "");
  const auto documented = entries({{"201", record("ResponseDocs", {{"description", text("a")}})}});
  CHECK(with(docs({{"responses", documented}}), 201) == "");
  CHECK(with(docs({{"responses", documented}}), 202) != "");
}

TEST_CASE("[response-mismatch] no number is a date, and no date is an e-mail address") {
  const auto with = [](const std::string& declared, const std::string& sent_type) {
    auto registration = route(
        "GET", "/", options({{"responses", entries({{"200", entries({{"x", text(declared)}})}})}}));
    model::SentResponse sent;
    sent.function = "json";
    sent.statuses = {200};
    sent.type.name = "::Sent";
    sent.type.schema = fmt::format(
        R"({{"type": "object", "properties": {{"x": {}}}, "required": ["x"]}})", sent_type);
    registration.handler.sent = {sent};
    return summary(checked({route_file("routes/a.cpp", {registration})}).diagnostics);
  };
  const std::string integer = R"({"type": "integer"})";
  const std::string boolean = R"({"type": "boolean"})";
  const std::string date = R"({"type": "string", "format": "date"})";
  const std::string plain = R"({"type": "string"})";
  CHECK(with("date", integer)
            .find("the member 'x' of the data of status 200 is of the type "
                  "integer, and the schema says date") != std::string::npos);
  for (const char* declared :
       {"date", "datetime", "time", "email", "url", "uuid", "ipv4", "ipv6"}) {
    CHECK(with(declared, integer) != "");
    CHECK(with(declared, R"({"type": "number"})") != "");
    CHECK(with(declared, boolean) != "");
    CHECK(with(declared, plain) == "");
  }
  CHECK(with("email", date).find("is of the type date, and the schema says email") !=
        std::string::npos);
  CHECK(with("integer", date).find("is of the type date, and the schema says integer") !=
        std::string::npos);
  CHECK(with("date", date) == "");
  CHECK(with("string", date) == "");
  CHECK(with("string", integer) == "");
  CHECK(with("string", boolean) == "");
  // "true" and "1" are host names, and so is a date.
  for (const std::string& sent : {integer, boolean, date}) CHECK(with("hostname", sent) == "");
}

TEST_CASE("[conflicting-schema] a handler reads a part of the request as the declared type") {
  const auto type = [](const std::string& name) {
    model::Value value;
    value.kind = model::Value::Kind::call;
    value.text = "type";
    value.items = {text(name),
                   text(R"({"type": "object", "properties": {"x": {"type": "integer"}}})")};
    return value;
  };
  const auto with = [&](Named route_options, const std::string& location,
                        const std::string& parameter = "") {
    auto registration = route("POST", "/", options(std::move(route_options)));
    registration.handler.typed_reads = {
        {.location = location, .type = "::A", .range = {.file = "src/routes/a.cpp", .line = 7}}};
    if (!parameter.empty()) {
      model::TypeUse use{.name = parameter, .schema = R"({"type": "object", "properties": {}})"};
      registration.signature.inputs = {{"body", std::move(use), {}}};
    }
    std::string lines;
    for (const auto& each : checked({route_file("routes/a.cpp", {registration})}).diagnostics) {
      if (each.id != "conflicting-schema") continue;
      lines += fmt::format("{}: {}; {}\n", each.range.line, each.message, each.help);
    }
    return lines;
  };
  const auto declared = [&](const std::string& name) {
    return Named{{"validate", record("Validate", {{"body", type(name)}})}};
  };
  CHECK(with(declared("::B"), "body") ==
        "7: the handler reads the body as 'A', and the route declares it as 'B'; "
        "write 'req.valid<B>(fw::Location::body)', or declare 'A'\n");
  CHECK(with({}, "body") ==
        "7: the handler reads the body as 'A', which the route does not declare for it; "
        "write '.validate = {.body = fw::type<A>}'\n");
  CHECK(with(declared("::A"), "query") != "");
  CHECK(with({{"validate", validate("body", {{"x", text("integer")}})}}, "body") != "");
  CHECK(with({}, "body", "::B") != "");
  CHECK(with(declared("::A"), "body") == "");
  CHECK(with({}, "body", "::A") == "");
}

TEST_CASE("[response-mismatch] a status that the handler sets is not the one of its result") {
  const auto with = [](std::vector<model::TypedResult> results, int status, bool is_left = true) {
    auto registration = route("GET", "/", options({}));
    registration.signature.results = std::move(results);
    registration.handler.statuses = {
        {.status = status, .range = {.file = "src/routes/a.cpp", .line = 7}, .is_left = is_left}};
    std::string lines;
    for (const auto& each : checked({route_file("routes/a.cpp", {registration})}).diagnostics) {
      lines += fmt::format("{}: {}; {}\n", each.id, each.message, each.help);
    }
    return lines;
  };
  const auto result = [](int status, const std::string& name) {
    model::TypedResult made;
    made.status = status;
    made.type.name = name;
    made.type.schema = "{}";
    return made;
  };
  const std::string name = "::shop::Item";
  CHECK(with({result(200, name)}, 201) ==
        "response-mismatch: the handler sets status 201, and its result is sent with status 200; "
        "return 'fw::Created<shop::Item>', or send the response with 'res.json'\n");
  CHECK(with({result(201, name)}, 202)
            .ends_with("return 'fw::Accepted<shop::Item>', or send the "
                       "response with 'res.json'\n"));
  CHECK(with({result(200, name)}, 204).find("return 'fw::NoContent'") != std::string::npos);
  CHECK(with({result(204, "")}, 409).find("return 'fw::Status<409>'") != std::string::npos);
  CHECK(with({result(200, name), result(404, "")}, 409) ==
        "response-mismatch: the handler sets status 409, and its result has a status of its own; "
        "return 'fw::Status<409, shop::Item>', or send the response with 'res.json'\n");
  CHECK(with({result(200, name)}, 201, false).empty());
  CHECK(with({result(200, name)}, 200).empty());
  CHECK(with({result(200, name), result(404, "")}, 404).empty());
  CHECK(with({}, 201).empty());
}

TEST_CASE("[same-name-types] a type is one type in all route files") {
  const auto found = [](const std::string& name, unsigned line, const std::string& schema,
                        const std::string& location = "body",
                        const std::string& header = "item.hpp") {
    std::vector<model::ParsedFile> files;
    for (const char* path : {"routes/a.cpp", "routes/b.cpp"}) {
      const bool is_first = files.empty();
      model::CppType type;
      type.name = is_first ? "::shop::Item" : name;
      type.component = "Item";
      type.header = header;
      auto registration = route("POST", "/");
      registration.signature.inputs.push_back(
          {.location = location,
           .type = {.name = type.name, .schema = R"({"type": "object"})", .types = {type.name}},
           .range = {}});
      auto& file = files.emplace_back(route_file(path, {registration}));
      file.generated_includes = {{is_first ? "a.routes.hpp" : "b.routes.hpp", {}}};
      type.schema = is_first ? R"({"type": "object"})" : schema;
      type.range = {.file = "src/item.hpp", .line = is_first ? 3 : line, .column = 8};
      file.types.push_back(std::move(type));
    }
    std::string lines;
    for (const auto& each : checked(files).diagnostics) {
      lines += fmt::format("{}: {}: {}\n", each.range.line, each.id, each.message);
    }
    return lines;
  };
  CHECK(found("::shop::Item", 3, R"({"type": "object"})") == "");
  CHECK(found("::billing::Item", 9, R"({"type": "object"})") ==
        "9: same-name-types: two types have the name 'Item' in the document\n");
  // A macro that the route files define differently.
  CHECK(found("::shop::Item", 3, R"({"type": "object", "properties": {"id": {}}})") ==
        "3: same-name-types: the type 'Item' is another one in 'routes/b.cpp' than in "
        "'routes/a.cpp'\n");
  // A struct whose members are parameters has no name in the document. In headers, its code needs
  // another name in C++.
  CHECK(found("::billing::Item", 9, "{}", "query") == "");
  CHECK(found("::shop::Item", 9, "{}", "query", "") == "");
  CHECK(found("::shop::Item", 9, "{}", "query") != "");
}

TEST_CASE("[response-mismatch] shapes that certainly differ") {
  // The errors of a handler that sends a type with one of the statuses. `declared`: of status 200.
  const auto with = [](model::Value declared, const std::string& sent_type,
                       std::vector<int> statuses = {200}) {
    auto registration =
        route("GET", "/", options({{"responses", entries({{"200", std::move(declared)}})}}));
    model::SentResponse sent;
    sent.function = "json";
    sent.statuses = std::move(statuses);
    sent.type = {.name = "::shop::Sent", .schema = sent_type};
    registration.handler.sent = {sent};
    std::string lines;
    for (const auto& each : checked({route_file("routes/a.cpp", {registration})}).diagnostics) {
      lines += fmt::format("{}: {}\n", each.id, each.message);
    }
    return lines;
  };
  const auto json_schema = [](const std::string& schema) {
    return call("json_schema", {text(schema)});
  };
  const auto type = [](const std::string& schema) {
    return call("type", {text("::shop::Declared"), text(schema)});
  };
  const std::string member =
      R"({"type": "object", "properties": {"id": {"type": "integer"}, "at": {"type": "array", )"
      R"("items": {"type": "string"}}}, "required": ["id"]})";
  const std::string counts = R"({"type": "object", "additionalProperties": {"type": "integer"}})";
  const std::string lists =
      R"({"type": "object", "additionalProperties": {"type": "array", "items": {}}})";

  CHECK(with(entries({{"id", text("integer")}, {"name", text("string")}}), member) ==
        "response-mismatch: the member 'name' of the data of status 200 is missing\n");
  CHECK(with(entries({{"id", text("array")}}), member) ==
        "response-mismatch: the member 'id' of the data of status 200 is of the type integer, and "
        "the schema says array\n");
  CHECK(with(entries({{"id", text("string")}, {"name", text("string?")}}), member).empty());

  // Texts of which none is a number or a boolean, and the other way round.
  const auto one = [](const std::string& schema) {
    return R"({"type": "object", "properties": {"x": )" + schema + R"(}, "required": ["x"]})";
  };
  const auto fits = [&](const std::string& declared, const std::string& sent) {
    return with(entries({{"x", text(declared)}}), one(sent)).empty();
  };
  CHECK_FALSE(fits("integer", R"({"type": "string", "format": "date"})"));
  CHECK_FALSE(fits("boolean", R"({"type": "string", "enum": ["a", "b"]})"));
  CHECK_FALSE(fits("number", R"({"type": "string", "enum": ["a", "b"]})"));
  CHECK_FALSE(fits("enum:a,b", R"({"type": "integer"})"));
  CHECK_FALSE(fits("enum:1,2", R"({"type": "boolean"})"));
  CHECK(fits("integer", R"({"type": "string", "enum": ["a", "7"]})"));
  CHECK(fits("boolean", R"({"type": "string", "enum": ["true", "a"]})"));
  CHECK(fits("enum:1,2", R"({"type": "integer"})"));
  CHECK(fits("integer", R"({"type": "string"})"));
  CHECK(fits("string", R"({"type": "integer"})"));

  // The values of a map, and the members that a struct always has.
  CHECK(with(type(lists), member) ==
        "response-mismatch: the member 'id' of the data of status 200 is of the type integer, and "
        "the schema says array\n");
  CHECK(with(type(counts), member).empty());
  CHECK(with(type(lists), counts) ==
        "response-mismatch: the data of status 200 is of the type integer, and the schema says "
        "array\n");
  CHECK(with(type(counts), counts).empty());
  CHECK(with(entries({{"id", text("array")}}), counts) ==
        "response-mismatch: the member 'id' of the data of status 200 is of the type integer, and "
        "the schema says array\n");
  CHECK(with(entries({{"id", text("array?")}, {"count", text("integer")}}), counts).empty());

  // A JSON Schema, if types have its keywords.
  CHECK(with(json_schema(R"({"type": "object", "required": ["name"], "properties": {"name": {}}})"),
             member) ==
        "response-mismatch: the member 'name' of the data of status 200 is missing\n");
  CHECK(with(json_schema(R"({"type": "object", "not": {"required": ["id"]}})"), member).empty());

  // Not every status that the handler may have set.
  CHECK(with(entries({{"name", text("string")}}), member, {200, 404}) ==
        "response-mismatch: status 404 has no schema in 'responses'\n");
}

TEST_CASE("[openapi-invalid] docs must be valid in the OpenAPI document") {
  const auto docs = [](Named members) {
    return errors(options({{"docs", record("Docs", std::move(members))}}));
  };
  CHECK(docs({{"extensions", entries({{"internal", flag(true)}})}}) ==
        "openapi-invalid: the extension 'internal' does not begin with 'x-'\n");
  CHECK(docs({{"extensions", entries({{"x-fw-wildcard", flag(true)}})}}) ==
        "openapi-invalid: the extension 'x-fw-wildcard' begins with 'x-fw-', which is reserved\n");
  CHECK(docs({{"extensions", entries({{"x-fwd", flag(true)}})}}).empty());
  CHECK(docs({{"extensions", text("x")}}) ==
        "openapi-invalid: 'docs.extensions' is not an object\n");
  CHECK(docs({{"extensions", list({})}}).empty());
  CHECK(docs({{"request_body", entries({{"description", text("d")}})}}) ==
        "openapi-invalid: 'docs.request_body' has no 'content'\n");
  const auto body = [&](Named members) {
    Named content = {{"content", entries({{"text/plain", entries(std::move(members))}})}};
    return docs({{"request_body", entries(content)}});
  };
  const auto type = [](model::Value value) { return entries({{"type", std::move(value)}}); };
  CHECK(body({{"schema", type(text("string"))}, {"example", integer(1)}, {"x-a", flag(true)}}) ==
        "");
  CHECK(docs({{"request_body", entries({{"content", entries({{"text/plain", text("x")}})}})}}) ==
        "openapi-invalid: 'docs.request_body': '/content/text~1plain' must be an object\n");
  CHECK(docs({{"request_body",
               entries({{"content", entries({{"plain", entries({{"x-a", integer(1)}})}})}})}}) ==
        "openapi-invalid: 'docs.request_body': '/content/plain' must have a media type as its "
        "name\n");
  CHECK(docs({{"request_body",
               entries({{"required", text("yes")},
                        {"content", entries({{"a/b", call("Json::object", {})}})}})}}) ==
        "openapi-invalid: 'docs.request_body': '/required' must be true or false\n");
  CHECK(body({{"schema", type(integer(1))}}) ==
        "openapi-invalid: 'docs.request_body': '/content/text~1plain/schema/type' must be the name "
        "of a type, or a list of type names\n");
  CHECK(
      body({{"schema", entries({{"required", list({integer(1)})}})}}) ==
      "openapi-invalid: 'docs.request_body': '/content/text~1plain/schema/required' must be a list "
      "of strings\n");
  CHECK(
      body({{"examples", text("x")}}) ==
      "openapi-invalid: 'docs.request_body': '/content/text~1plain/examples' must be an object of "
      "objects\n");
  CHECK(body({{"shema", type(text("string"))}}) ==
        "openapi-invalid: 'docs.request_body': '/content/text~1plain/shema' is not a member of a "
        "media type in OpenAPI\n");
  const auto header = [&](model::Value schema) {
    return docs(
        {{"responses",
          entries({{"200",
                    record("ResponseDocs",
                           {{"headers",
                             entries({{"X-A", record("ResponseHeader",
                                                     {{"schema", std::move(schema)}})}})}})}})}});
  };
  CHECK(header(type(text("integer"))) == "");
  const auto reference = [](const char* target) { return entries({{"$ref", text(target)}}); };
  CHECK(header(reference("#/components/schemas/Error")) == "");
  CHECK(header(reference("#/components/schemas/Absent")) ==
        "openapi-invalid: the schema of the header 'X-A': '/$ref' refers to "
        "'#/components/schemas/Absent', where the document has no schema\n");
  CHECK(header(reference("#")) ==
        "openapi-invalid: the schema of the header 'X-A' is not a JSON Schema: '/$ref' refers to "
        "'#', which is not a part of the document\n");
  CHECK(body({{"schema", reference("#/components/schemas/Error")}}) == "");
  CHECK(body({{"schema", entries({{"items", reference("#/components/schemas/Absent")}})}}) ==
        "openapi-invalid: 'docs.request_body': '/content/text~1plain/schema/items/$ref' refers to "
        "'#/components/schemas/Absent', where the document has no schema\n");
  CHECK(body({{"schema", reference("other.yaml#/x")}}) ==
        "openapi-invalid: 'docs.request_body': '/content/text~1plain/schema/$ref' refers to "
        "'other.yaml#/x', which is not a part of the document\n");
  CHECK(body({{"schema", entries({{"$id", text("a")}})}}) ==
        "openapi-invalid: 'docs.request_body': '/content/text~1plain/schema/$id' is not possible "
        "in a part of a document\n");
  CHECK(header(type(text("int"))) ==
        "openapi-invalid: the schema of the header 'X-A' is not a JSON Schema: '/type' names the "
        "unknown type 'int'\n");
  CHECK(docs({{"access", integer(5)}}) ==
        "openapi-invalid: 'docs.access' is neither a string nor an object\n");
  CHECK(docs({{"responses",
               entries({{"200", record("ResponseDocs", {{"content_type", text("csv")}})}})}}) ==
        "openapi-invalid: 'csv' is not a media type\n");
  CHECK(docs({{"security", text("my scheme")}}) ==
        "openapi-invalid: the security scheme 'my scheme' cannot have this name\n");
  CHECK(errors(options({{"auth", record("AuthRequirement", {{"security", text("a/b")}})}})) ==
        "openapi-invalid: the security scheme 'a/b' cannot have this name\n");
}

TEST_CASE("diagnostics: errors of all files are reported in an order independent of file order") {
  const auto first = route_file("routes/a.cpp", {route("GET", "/:"), route("GET", "/:id/:id")});
  const auto second =
      route_file("routes/b.cpp", {route("GET", "/", options({{"csrf", flag(true)}}))});
  const std::string expected =
      "src/routes/a.cpp:2:13 bad-route-path: a parameter has no name\n"
      "src/routes/a.cpp:3:18 bad-route-path: the parameter 'id' is declared twice\n"
      "src/routes/b.cpp:2:1 conflicting-options: 'csrf' can only be false\n";
  CHECK(summary(checked({first, second}).diagnostics) == expected);
  CHECK(summary(checked({second, first}).diagnostics) == expected);
}

}  // namespace option_errors_test
