// YAML text of JSON values. That other readers get the same value back is shown by
// openapi_documents_are_valid.
#include "emit/yaml.hpp"

#include <doctest/doctest.h>

#include <string>

using fairway::emit::to_yaml;
using fairway::model::Json;

namespace {

std::string yaml(const std::string& json) { return to_yaml(Json::parse(json)); }

}  // namespace

TEST_CASE("yaml: objects and lists are blocks") {
  CHECK(yaml(R"({"a": 1, "b": {"c": [true, null, {"d": "x", "e": [1]}], "f": {}, "g": []}})") ==
        "a: 1\n"
        "b:\n"
        "  c:\n"
        "    - true\n"
        "    - null\n"
        "    - d: x\n"
        "      e:\n"
        "        - 1\n"
        "  f: {}\n"
        "  g: []\n");
  CHECK(yaml("[[1, 2], []]") == "-\n  - 1\n  - 2\n- []\n");
  CHECK(yaml("{}") == "{}\n");
  CHECK(yaml("3") == "3\n");
}

TEST_CASE("yaml: texts are quoted where a reader may take them for something else") {
  const auto text = [](const std::string& value) { return to_yaml(Json(value)); };
  CHECK(text("/users/{id}") == "/users/{id}\n");
  CHECK(text("$ref") == "$ref\n");
  for (const char* word :
       {"",   "true", "No", "Y",          "null", "200", "1e3", "-",    "a: b", "a #b", "~",
        "@a", "0x1F", ".5", "2024-01-31", " a",   "a ",  "*a",  "a\tb", "<<",   "="}) {
    CAPTURE(word);
    CHECK(text(word) == Json(word).dump() + "\n");
  }
  CHECK(yaml(R"({"200": 1, "#/a": 2})") == "\"200\": 1\n\"#/a\": 2\n");
  CHECK(text("h\xc3\xa9") == "\"h\xc3\xa9\"\n");
  CHECK(text("\x7f\xc2\x85\xe2\x80\xa8\xe2\x80\xa9\xef\xbb\xbf") ==
        "\"\\u007f\\u0085\\u2028\\u2029\\ufeff\"\n");
}

TEST_CASE("yaml: texts of several lines are literal blocks where nothing is lost") {
  CHECK(yaml(R"({"a": "x\n\n  y", "b": "x\ny\n"})") == "a: |-\n  x\n\n    y\nb: |\n  x\n  y\n");
  CHECK(yaml(R"({"a": "x\n\n"})") == "a: \"x\\n\\n\"\n");
  CHECK(yaml(R"({"a": " x\ny"})") == "a: \" x\\ny\"\n");
  CHECK(yaml(R"({"a": "x \ny"})") == "a: \"x \\ny\"\n");
}

TEST_CASE("yaml: numbers keep their value in YAML 1.1") {
  CHECK(yaml("[1, -2, 0.5, 1e30, 1.5e-9]") == "- 1\n- -2\n- 0.5\n- 1.0e+30\n- 1.5e-09\n");
}
