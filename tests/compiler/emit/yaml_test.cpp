// YAML text of JSON values, and values of YAML text. That other readers get the same value back is
// shown by openapi_documents_are_valid.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

#include "emit/openapi.hpp"
#include "files/data_file.hpp"

namespace yaml_test {

using fairway::emit::to_yaml;
using fairway::model::Json;

namespace {

std::string yaml(const std::string& json) { return to_yaml(Json::parse(json)); }

Json read(const std::string& text) { return fairway::files::read_yaml(text, 400); }

std::string error(const std::string& text) {
  try {
    return "accepted: " + read(text).dump();
  } catch (const fairway::files::YamlError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("yaml: objects and arrays are written as blocks") {
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

TEST_CASE("yaml: strings are quoted if a reader could take them for another type") {
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

TEST_CASE("yaml: multi-line strings are literal blocks if nothing is lost") {
  CHECK(yaml(R"({"a": "x\n\n  y", "b": "x\ny\n"})") == "a: |-\n  x\n\n    y\nb: |\n  x\n  y\n");
  CHECK(yaml(R"({"a": "x\n\n"})") == "a: \"x\\n\\n\"\n");
  CHECK(yaml(R"({"a": " x\ny"})") == "a: \" x\\ny\"\n");
  CHECK(yaml(R"({"a": "x \ny"})") == "a: \"x \\ny\"\n");
}

TEST_CASE("yaml: numbers keep their value in YAML 1.1") {
  CHECK(yaml("[1, -2, 0.5, 1e30, 1.5e-9]") == "- 1\n- -2\n- 0.5\n- 1.0e+30\n- 1.5e-09\n");
}

TEST_CASE("yaml: plain scalars are read by the YAML 1.2 core schema") {
  const auto value = [](const std::string& text) { return read(text).dump(); };
  CHECK(value("[null, Null, NULL, ~, ]") == "[null,null,null,null]");
  CHECK(value("a:\nb: \"\"\n") == R"({"a":null,"b":""})");
  CHECK(value("[true, True, TRUE, false, False, FALSE]") == "[true,true,true,false,false,false]");
  CHECK(value("[yes, No, on, off, y, nULL, tRUE]") ==
        R"(["yes","No","on","off","y","nULL","tRUE"])");
  CHECK(value("[0, 7, 007, +7, -7, 0o17, 0x1F, 0X1F, 0o8, -0x1, 0b1, 1_000]") ==
        R"([0,7,7,7,-7,15,31,"0X1F","0o8","-0x1","0b1","1_000"])");
  CHECK(value("[1.5, .5, 5., -.5, 1e3, 1.E+2, 1e, ., -, 1.2.3, 3.1.0, 12:30, 2024-01-31]") ==
        R"([1.5,0.5,5.0,-0.5,1000.0,100.0,"1e",".","-","1.2.3","3.1.0","12:30","2024-01-31"])");
  CHECK(value("[18446744073709551615, -9223372036854775808, 18446744073709551616]") ==
        "[18446744073709551615,-9223372036854775808,1.8446744073709552e+19]");
  CHECK(value("[\"1\", '1', !!str 1, !!int '1', !!float 1, !!null '', !!bool 'true']") ==
        R"(["1","1","1",1,1.0,null,true])");
  CHECK(value("{200: a, true: b, 0x1F: c, null_: d}") ==
        R"({"200":"a","true":"b","0x1F":"c","null_":"d"})");
  CHECK(value("a: |\n  x\n   y\nb: >\n  x\n  y\n") == R"({"a":"x\n y\n","b":"x y\n"})");
  CHECK(value("%YAML 1.2\n---\n{a: h\xc3\xa9, b: \"\\u00e9\"}\n...\n") ==
        "{\"a\":\"h\xc3\xa9\",\"b\":\"\xc3\xa9\"}");
  CHECK(value("") == "null");
  CHECK(read("1").is_number_unsigned());
}

TEST_CASE("yaml: a written document is read back") {
  const Json value = Json::parse(R"({"a": [1, -2, 0.5, 1e30, true, null, "", "null", "200", " x",
    "x\ny", "x\n\n", "\u007f\u0085\u2028\ufeff\u0007"], "200": {}, "<<": [], "~": [[[]]]})");
  CHECK(read(to_yaml(value)) == value);
}

TEST_CASE("yaml: aliases are copies of their anchors") {
  CHECK(read("a: &x {b: [1]}\nc: *x\nd: [*x, *x]\n").dump() ==
        R"({"a":{"b":[1]},"c":{"b":[1]},"d":[{"b":[1]},{"b":[1]}]})");
  CHECK(read("&k key: 1\nvalue: *k\n").dump() == R"({"key":1,"value":"key"})");
  CHECK(read("a: &x 1\nb: &x 2\nc: *x\n").dump() == R"({"a":1,"b":2,"c":2})");
  CHECK(error("a: &x\n  b: *x\n") ==
        "at line 2, column 6: the alias refers to the value that contains it");
  CHECK(error("a: *x\n") == "at line 1, column 4: the referenced anchor is not defined");

  std::string laughs = "a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]\n";
  std::string chain = "a0: &a0 []\n";
  for (int level = 1; level < 500; ++level) {
    const std::string own = "a" + std::to_string(level);
    const std::string last = "*a" + std::to_string(level - 1);
    if (level < 12) {
      laughs += own + ": &" + own + " [";
      for (int index = 0; index < 9; ++index) laughs += last + ", ";
      laughs += "]\n";
    }
    chain += own + ": &" + own + " [" + last + "]\n";
  }
  CHECK(error(laughs) == "at line 6, column 5: aliases expand to more than 1000000 values");
  CHECK(error(chain) == "at line 401, column 14: values are nested more than 400 levels deep");
}

TEST_CASE("yaml: what JSON cannot express is an error with line and column") {
  CHECK(error("a: 1\nb: 2\na: 3\n") ==
        "at line 3, column 1: duplicate key 'a'; the first one is at line 1");
  CHECK(error("{1: a, '1': b}") ==
        "at line 1, column 8: duplicate key '1'; the first one is at line 1");
  CHECK(error("? [a]\n: b\n") == "at line 1, column 3: a key must be a string");
  CHECK(error("{{a: b}: c}") == "at line 1, column 2: a key must be a string");
  CHECK(error("~: a") == "at line 1, column 1: a key must be a string; write 'null' in quotes");
  CHECK(error("a: &x [1]\n*x : 2\n") == "at line 2, column 1: a key must be a string");
  CHECK(error("a: &x {}\nb:\n  <<: *x\n") ==
        "at line 3, column 3: YAML 1.2 has no merge key '<<'; write the members themselves");
  CHECK(error("a: [.inf]") == "at line 1, column 5: '.inf' is a number that JSON cannot represent");
  CHECK(error("a: -.Inf") == "at line 1, column 4: '-.Inf' is a number that JSON cannot represent");
  CHECK(error("a: .nan") == "at line 1, column 4: '.nan' is a number that JSON cannot represent");
  CHECK(error("a: 1e400") == "at line 1, column 4: the number '1e400' is too large");
  CHECK(error("a: 0x10000000000000000") ==
        "at line 1, column 4: the integer '0x10000000000000000' is too large");
  CHECK(error("a: !!int x") ==
        "at line 1, column 4: 'x' cannot have the tag 'tag:yaml.org,2002:int'");
  CHECK(error("a: !point [1]") == "at line 1, column 4: the tag '!point' is unknown");
  CHECK(error("a: 1\n---\nb: 2\n") == "the file has more than one document");
  CHECK(error("a: b: c") == "at line 1, column 5: illegal map value");
  CHECK(error("a: x\n\tb: y\n").starts_with("at line 2, column"));
  CHECK(error("a: \xff") == "at line 1, column 4: the file is not UTF-8");
  CHECK(error(std::string("a: 1\nb\x04: 2")) ==
        "at line 2, column 2: a control character must be written as an escape sequence");
}

}  // namespace yaml_test
