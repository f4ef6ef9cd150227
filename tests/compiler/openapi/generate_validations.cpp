// Bodies made at random for schemas made at random, with what the runtime says of them, as JSON
// lines {"schema", "bodies", "valid"}: generate_validations FILE SCHEMAS SUITE. Likewise for the
// schemas of the JSON Schema test suite that a C++ type can have, with the data of the suite.
//
// Bodies have nothing that the runtime would convert, such as "5" where a number is declared, and
// none of the texts that docs/openapi.md lists as known differences.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "contract_test/random_source.hpp"
#include "emit/openapi_parts.hpp"
#include "files/whole_file.hpp"
#include "schema/kinds.hpp"
#include "schema/node.hpp"
#include "schema_suite.hpp"

namespace {

using fairway::contract_test::RandomSource;
using fw::schema::Field;
using fw::schema::Kind;
using fw::schema::Node;
using nlohmann::json;

// Each kind once, and with bounds.
const std::vector<std::string> kTypes = [] {
  std::vector<std::string> types = {"string:1-5",
                                    "string:3",
                                    "string:2-",
                                    "string:-4",
                                    "number:0-",
                                    "number:-1.5",
                                    "number:-2-2",
                                    "integer:1-",
                                    "integer:-3-3",
                                    "enum:a,b,c",
                                    "enum:1,true,null",
                                    "array:1-2",
                                    "array<string>",
                                    "array<integer:0->:-3",
                                    "array<array<boolean>>"};
  for (const fw::schema::KindInfo& row : fw::schema::all_kinds()) {
    if (row.kind != Kind::enumeration) types.emplace_back(row.name);
  }
  return types;
}();

// Texts that some format accepts or nearly accepts.
const std::vector<std::string> kTexts = [] {
  std::vector<std::string> texts = {"",
                                    "a",
                                    "abc",
                                    "abcd",
                                    "abcdef",
                                    "\xC3\xA9",
                                    "\xF0\x9D\x84\x9E\xF0\x9D\x84\x9E",
                                    "e\xCC\x81",
                                    " ",
                                    "a\nb",
                                    "ann@example.com",
                                    "ann@example",
                                    "@example.com",
                                    "ann@",
                                    "ann.b+c@mail.example.org",
                                    "an n@example.com",
                                    "a@b@example.com",
                                    ".ann@example.com",
                                    "https://example.com",
                                    "http://example.com:8080/a?b=c#d",
                                    "https://",
                                    "ftp://example.com",
                                    "//example.com",
                                    "example.com",
                                    "http://exa mple.com",
                                    "HTTP://EXAMPLE.com",
                                    "https:///a",
                                    "mailto:ann@example.com",
                                    "2024-02-29",
                                    "2023-02-29",
                                    "2024-13-01",
                                    "2024-1-1",
                                    "20240101",
                                    "2024-04-31",
                                    "2024-01-31T10:20:30Z",
                                    "2024-01-31T10:20:30.125+02:00",
                                    "2024-01-31T10:20:30",
                                    "2024-01-31T25:20:30Z",
                                    "2024-01-31",
                                    "2024-01-31T10:20:30z",
                                    "10:20:30Z",
                                    "10:20:30.5+01:00",
                                    "24:00:00Z",
                                    "10:20",
                                    "10:61:00Z",
                                    "550e8400-e29b-41d4-a716-446655440000",
                                    "550E8400-E29B-41D4-A716-446655440000",
                                    "550e8400e29b41d4a716446655440000",
                                    "{550e8400-e29b-41d4-a716-446655440000}",
                                    "550e8400-e29b-41d4-a716-44665544000g",
                                    "192.0.2.1",
                                    "256.0.0.1",
                                    "192.0.2",
                                    "192.0.2.01",
                                    "2001:db8::1",
                                    "::",
                                    "::ffff:192.0.2.1",
                                    "2001:db8::1::2",
                                    "12345::",
                                    "fe80::1%eth0",
                                    "[::1]",
                                    "host",
                                    "a.b-c.example",
                                    "-a.example",
                                    "a-.example",
                                    "a_b.example",
                                    "a..example",
                                    "1",
                                    "true",
                                    "null",
                                    "b",
                                    "c"};
  for (const fw::schema::KindInfo& row : fw::schema::all_kinds()) {
    if (!row.example.empty()) texts.emplace_back(row.example);
  }
  return texts;
}();

Node parsed(const std::string& dsl) {
  const auto result = fw::schema::parse_dsl(dsl);
  return std::get<Node>(result);
}

class Maker {
 public:
  explicit Maker(std::uint32_t seed) : random_(seed) {}

  Node object(int depth) {
    Node node;
    node.kind = Kind::object;
    for (std::size_t count = 1 + random_.below(4); count > 0; --count) {
      node.fields.push_back({"f" + std::to_string(count), field(depth)});
    }
    return node;
  }

  json body(const Node& node) { return random_.chance(2) ? anything(0) : value(node, 0); }

 private:
  Node field(int depth) {
    const std::size_t choice = depth > 0 ? random_.below(10) : 0;
    Node node;
    if (choice == 9) {
      node.kind = Kind::array;
      node.items = std::make_shared<const Node>(object(depth - 1));
    } else if (choice == 8) {
      node = object(depth - 1);
    } else {
      return parsed(random_.pick(kTypes) + (random_.chance(30) ? "?" : ""));
    }
    node.required = random_.chance(70);
    return node;
  }

  // Mostly what the schema declares, or close to it.
  json value(const Node& node, int depth) {
    if (random_.chance(4)) return wrong(node, depth);
    switch (node.kind) {
      case Kind::any:
        return anything(depth);
      case Kind::null:
        return nullptr;
      case Kind::boolean:
        return random_.chance(50);
      case Kind::number:
        return random_.chance(50) ? json(number(node))
                                  : json(static_cast<double>(number(node)) + 0.5);
      case Kind::integer:
        return random_.chance(80) ? json(number(node)) : json(static_cast<double>(number(node)));
      case Kind::enumeration:
        return random_.chance(90) ? random_.pick(node.values) : random_.pick(kTexts);
      case Kind::string:
        return text(node);
      case Kind::array:
        return array(node, depth);
      case Kind::object:
        return members(node, depth);
      default:
        return format_text(node);
    }
  }

  std::int64_t number(const Node& node) {
    std::vector<std::int64_t> candidates = {0, 1, -1, 7, 1'000'000'007, -9'007'199'254'740'991};
    for (const auto& bound : {node.min, node.max}) {
      if (!bound) continue;
      const auto near = static_cast<std::int64_t>(*bound);
      for (const std::int64_t step : {-1, 0, 0, 0, 1}) candidates.push_back(near + step);
    }
    return random_.pick(candidates);
  }

  std::size_t size(const Node& node) {
    std::vector<std::size_t> candidates = {1, 3};
    for (const auto& bound : {node.min, node.max}) {
      if (!bound) continue;
      const auto near = static_cast<std::size_t>(*bound);
      for (const std::size_t more : {0U, 0U, 0U, 1U}) candidates.push_back(near + more);
      if (near > 0) candidates.push_back(near - 1);
    }
    return random_.pick(candidates);
  }

  std::string text(const Node& node) {
    static const std::vector<std::string> letters = {
        "a", "Z", " ", "\xC3\xA9", "\xE2\x9C\x88", "\xF0\x9D\x84\x9E", "\xCC\x81", "\n", "\""};
    std::string result;
    for (std::size_t count = size(node); count > 0; --count) result += random_.pick(letters);
    return result;
  }

  // One that the format accepts, more often than not: what the runtime says of it is not asked
  // here.
  std::string format_text(const Node& node) {
    Node only = node;
    only.required = true;
    std::string chosen = random_.pick(kTexts);
    for (int attempt = 0; attempt < 60 && !random_.chance(2); ++attempt) {
      if (fw::schema::validate(only, chosen, fw::schema::Source::json).errors.empty()) break;
      chosen = random_.pick(kTexts);
    }
    return chosen;
  }

  json array(const Node& node, int depth) {
    json result = json::array();
    for (std::size_t count = size(node); count > 0; --count) {
      result.push_back(node.items ? value(*node.items, depth + 1) : anything(depth + 1));
    }
    return result;
  }

  json members(const Node& node, int depth) {
    json result = json::object();
    for (const Field& field : node.fields) {
      const bool leave_out = random_.chance(field.node.required ? 3 : 40);
      if (!leave_out) result[field.name] = value(field.node, depth + 1);
    }
    if (random_.chance(20)) result["undeclared"] = anything(depth + 1);
    return result;
  }

  json wrong(const Node& node, int depth) {
    const bool converts =
        node.kind == Kind::number || node.kind == Kind::integer || node.kind == Kind::boolean;
    json candidate = anything(depth);
    while (converts && candidate.is_string()) candidate = anything(depth);
    return candidate;
  }

  json anything(int depth) {
    switch (random_.below(depth > 3 ? 5 : 7)) {
      case 0:
        return nullptr;
      case 1:
        return random_.chance(50);
      case 2:
        return random_.pick(kTexts);
      case 3:
        return static_cast<int>(random_.below(100)) - 50;
      case 4:
        return 0.25;
      case 5:
        return json::array({anything(depth + 1)});
      default:
        return json{{"x", anything(depth + 1)}};
    }
  }

  RandomSource random_;
};

std::string line_of(const Node& node, const std::vector<json>& bodies) {
  json line = {{"schema", json::parse(fairway::emit::schema_json(node).dump())},
               {"bodies", bodies},
               {"valid", json::array()}};
  for (const json& body : bodies) {
    const auto result = fw::schema::validate(node, body, fw::schema::Source::json);
    line["valid"].push_back(result.errors.empty());
  }
  return line.dump() + '\n';
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: generate_validations FILE SCHEMAS SUITE\n";
    return 2;
  }
  constexpr int kBodiesPerSchema = 40;
  std::string lines;
  const auto count = static_cast<std::uint32_t>(std::stoul(argv[2]));
  for (std::uint32_t seed = 1; seed <= count; ++seed) {
    Maker maker(seed);
    const Node node = maker.object(2);
    std::vector<json> bodies;
    for (int i = 0; i < kBodiesPerSchema; ++i) bodies.push_back(maker.body(node));
    lines += line_of(node, bodies);
  }
  for (const auto& keyword : test::schema_suite::kKeywords) {
    for (const auto& group : test::schema_suite::groups_of(argv[3], keyword.first)) {
      std::vector<json> bodies;
      for (const auto& each : group.cases) bodies.push_back(each.data);
      lines += line_of(group.node, bodies);
    }
  }
  fairway::files::replace_file(argv[1], lines);
  return 0;
}
