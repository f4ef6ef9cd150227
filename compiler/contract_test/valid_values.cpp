#include "contract_test/valid_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "schema/kinds.hpp"

namespace fairway::contract_test {
namespace {

/// From this depth on, optional members and items are left out, so that values of recursive schemas
/// end.
constexpr int kMaxValueDepth = 8;
constexpr std::size_t kMaxText = 12;
constexpr std::size_t kMaxItems = 3;

const std::vector<Json>& scalars() {
  static const std::vector<Json> list = {nullptr,
                                         true,
                                         false,
                                         0,
                                         1,
                                         2,
                                         3,
                                         5,
                                         1.5,
                                         -1,
                                         "",
                                         "a",
                                         "b",
                                         "ab",
                                         "abc",
                                         "abcdef",
                                         "x1",
                                         "7",
                                         "A",
                                         Json::array(),
                                         Json::object()};
  return list;
}

/// Strings that patterns often accept, and one of each format.
const std::vector<std::string>& texts() {
  static const std::vector<std::string> list = [] {
    std::vector<std::string> all = {"",   "a",   "b", "ab", "abc",    "7",
                                    "a1", "x-a", "A", "1",  "abcdef", "10:20:30"};
    for (const fw::schema::KindInfo& row : fw::schema::all_kinds()) {
      if (!row.example.empty()) all.emplace_back(row.example);
    }
    return all;
  }();
  return list;
}

constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
constexpr std::array<std::string_view, 14> kUnusual = {"\xC3\xA9",
                                                       "\xC3\x9F",
                                                       "\xE6\x97\xA5",
                                                       "\xF0\x9F\x9A\xA2",
                                                       "\"",
                                                       "'",
                                                       "<",
                                                       "&",
                                                       "%",
                                                       "+",
                                                       "/",
                                                       "?",
                                                       "#",
                                                       " "};

}  // namespace

std::optional<Json> ValueMaker::valid(const Json& schema, Alphabet alphabet) {
  constexpr int kAttempts = 60;
  may_stray_ = false;
  alphabet_ = alphabet;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Json result = value(schema, 0);
    if (!checker_.check(result, schema)) return result;
  }
  return std::nullopt;
}

Json ValueMaker::near(const Json& schema) {
  may_stray_ = true;
  alphabet_ = Alphabet::plain;
  Json result = value(schema, 0);
  while (random_.chance(35)) disturb(result);
  return result;
}

Json ValueMaker::anything() { return random_.pick(scalars()); }

Json ValueMaker::value(const Json& unresolved, int depth) {
  const Json& schema = checker_.resolved(unresolved);
  if (!schema.is_object() || schema.empty() ||
      depth > (may_stray_ ? kMaxValueDepth : 2 * kMaxValueDepth) || strays(3)) {
    return anything();
  }
  if (schema.contains("const")) return schema["const"];
  if (schema.contains("enum") && !schema["enum"].empty()) {
    return schema["enum"][random_.below(schema["enum"].size())];
  }
  if (const Json whole = combined(schema); whole != schema) return value(whole, depth + 1);
  const std::string type = type_of(schema);
  if (type == "string") return string(schema);
  if (type == "integer" || type == "number") return number(schema, type);
  if (type == "array") return array(schema, depth);
  if (type == "object") return object(schema, depth);
  if (type == "boolean") return random_.chance(50);
  return type == "null" ? Json() : anything();
}

/// The schema, merged with every schema of `allOf`, with one alternative of `anyOf` and `oneOf`,
/// and with one branch of `if`.
Json ValueMaker::combined(const Json& schema) {
  Json result = schema;
  const auto merge = [&](const Json& part) {
    const Json& other = checker_.resolved(part);
    if (!other.is_object()) return;
    for (const auto& [name, value] : other.items()) {
      if (name == "properties" && result.contains(name)) {
        result[name].update(value);
      } else if (name == "required" && result.contains(name)) {
        for (const Json& member : value) result[name].push_back(member);
      } else {
        result[name] = value;
      }
    }
  };
  for (const char* keyword : {"anyOf", "oneOf"}) {
    if (!schema.contains(keyword)) continue;
    result.erase(keyword);
    merge(schema[keyword][random_.below(schema[keyword].size())]);
  }
  if (schema.contains("allOf")) {
    result.erase("allOf");
    for (const Json& part : schema["allOf"]) merge(part);
  }
  if (schema.contains("if")) {
    result.erase("if");
    const bool is_then = random_.chance(50);
    if (is_then) merge(schema["if"]);
    const char* branch = is_then ? "then" : "else";
    if (schema.contains(branch)) merge(schema[branch]);
  }
  return result;
}

std::string ValueMaker::type_of(const Json& schema) {
  if (schema.contains("type")) {
    if (schema.value("nullable", false) && random_.chance(20)) return "null";
    const Json& type = schema["type"];
    return (type.is_array() ? type[random_.below(type.size())] : type).get<std::string>();
  }
  if (schema.contains("properties") || schema.contains("required") ||
      schema.contains("additionalProperties")) {
    return "object";
  }
  if (schema.contains("contains") || schema.contains("prefixItems")) return "array";
  if (schema.contains("maxLength")) return "string";
  return schema.contains("minimum") ? "number" : "";
}

Json ValueMaker::string(const Json& schema) {
  if (schema.contains("format") || schema.contains("pattern")) {
    const auto format = schema.value("format", "");
    const auto pattern = schema.value("pattern", "");
    if (auto text = value_of_format(format, pattern, random_)) return *std::move(text);
  }
  if (schema.contains("pattern") && schema.contains("example")) return schema["example"];
  const bool is_bounded = schema.contains("minLength") || schema.contains("maxLength");
  if (schema.contains("pattern") && !may_stray_) return text_of_pattern(schema["pattern"]);
  if (schema.contains("pattern") || (may_stray_ && !is_bounded)) return random_.pick(texts());
  return text(is_bounded ? size(schema, "minLength", "maxLength") : 1 + random_.below(kMaxText));
}

std::string ValueMaker::text(std::size_t length) {
  std::string result;
  for (std::size_t i = 0; i < length; ++i) {
    if (alphabet_ == Alphabet::any && random_.chance(10)) {
      result += kUnusual[random_.below(kUnusual.size())];
    } else {
      result += kPlain[random_.below(kPlain.size())];
    }
  }
  return result;
}

/// One of the strings that the pattern accepts; any of them if it accepts none.
std::string ValueMaker::text_of_pattern(const std::string& pattern) {
  std::vector<std::string> accepted;
  std::ranges::copy_if(texts(), std::back_inserter(accepted),
                       [&](const std::string& text) { return matches_pattern(pattern, text); });
  return random_.pick(accepted.empty() ? texts() : accepted);
}

Json ValueMaker::number(const Json& schema, const std::string& type) {
  if (may_stray_) {
    Json result = static_cast<int>(random_.below(10)) - 2;
    for (const char* bound : {"minimum", "exclusiveMinimum", "maximum", "multipleOf"}) {
      if (schema.contains(bound) && random_.chance(40)) result = schema[bound];
    }
    if (random_.chance(20)) result = result.get<double>() + 1;
    if (type == "number" && random_.chance(30)) result = result.get<double>() + 0.5;
    return result;
  }
  const auto bound = [&](const char* inclusive, const char* exclusive, double step,
                         double otherwise) {
    if (schema.contains(exclusive) && schema[exclusive].is_number()) {
      return schema[exclusive].get<double>() + step;
    }
    return schema.contains(inclusive) ? schema[inclusive].get<double>() : otherwise;
  };
  const bool is_whole = type == "integer";
  const double step = is_whole ? 1 : 0.5;
  const bool has_maximum = schema.contains("maximum") || schema.contains("exclusiveMaximum");
  double least = bound("minimum", "exclusiveMinimum", step, has_maximum ? -1e6 : 0);
  double most = bound("maximum", "exclusiveMaximum", -step, std::max(least, 0.0) + 1000);
  least = std::min(least, most);
  double result = least;
  if (random_.chance(15)) {
    result = most;
  } else if (!random_.chance(15)) {
    // Small numbers are more often the ids of something that exists.
    const double range = random_.chance(50) ? std::min(most - least, 10.0) : most - least;
    result = least + range * static_cast<double>(random_.below(1001)) / 1000;
  }
  if (schema.contains("multipleOf") && schema["multipleOf"].get<double>() > 0) {
    const auto factor = schema["multipleOf"].get<double>();
    result = std::ceil(result / factor) * factor;
  }
  constexpr double kExactlyWhole = 9007199254740992.0;  // 2^53
  if (is_whole) result = std::round(result);
  if (std::trunc(result) == result && std::fabs(result) <= kExactlyWhole) {
    return static_cast<std::int64_t>(result);
  }
  return result;
}

/// The length of a string or an array.
std::size_t ValueMaker::size(const Json& schema, const char* lower, const char* upper) {
  if (may_stray_) {
    std::size_t result = random_.below(3);
    if (schema.contains(lower) && random_.chance(60)) result = schema[lower].get<std::size_t>();
    if (schema.contains(upper) && random_.chance(40)) result = schema[upper].get<std::size_t>();
    if (random_.chance(10)) ++result;
    return std::min<std::size_t>(result, 6);
  }
  const std::size_t usual = std::string_view(lower) == "minItems" ? kMaxItems : kMaxText;
  const auto least = schema.value(lower, std::size_t{0});
  const auto most = std::max(least, schema.value(upper, least + usual));
  constexpr std::size_t kLarge = 10'000;  // more would only take time
  if (random_.chance(15) && most <= kLarge) return most;
  return least + random_.below(std::min(most - least, usual) + 1);
}

Json ValueMaker::object(const Json& schema, int depth) {
  Json result = Json::object();
  const Json properties = schema.value("properties", Json::object());
  const Json required = schema.value("required", Json::array());
  for (const auto& [name, member] : properties.items()) {
    const bool is_required = std::ranges::find(required, Json(name)) != required.end();
    const bool is_present = is_required ? !strays(5) : random_.chance(60) && depth < kMaxValueDepth;
    if (is_present) result[name] = value(member, depth + 1);
  }
  for (const Json& name : required) {
    const auto& member = name.get_ref<const std::string&>();
    if (!result.contains(member) && !properties.contains(member) && !strays(5)) result[member] = 1;
  }
  const Json others = schema.value("additionalProperties", Json());
  if (!may_stray_ && properties.empty() && others.is_object() && depth < kMaxValueDepth) {
    for (std::size_t count = random_.below(kMaxItems + 1); count > 0; --count) {
      result[text(1 + random_.below(kMaxText))] = value(others, depth + 1);
    }
  }
  if (may_stray_) {
    if (random_.chance(25)) {
      result["zz"] = value(schema.value("additionalProperties", Json(true)), depth + 1);
    }
    if (schema.contains("patternProperties") && random_.chance(50)) {
      result["x-a"] = value(schema["patternProperties"].front(), depth + 1);
    }
    if (random_.chance(5)) result["x-b"] = anything();
  }
  return result;
}

Json ValueMaker::array(const Json& schema, int depth) {
  Json result = Json::array();
  const Json prefix = schema.value("prefixItems", Json::array());
  std::size_t count = size(schema, "minItems", "maxItems");
  if (!may_stray_ && depth >= kMaxValueDepth) count = schema.value("minItems", std::size_t{0});
  for (; count > 0; --count) {
    const std::size_t index = result.size();
    const bool is_contained = schema.contains("contains") && random_.chance(50);
    const Json item = is_contained            ? schema["contains"]
                      : index < prefix.size() ? prefix[index]
                                              : schema.value("items", Json(true));
    Json made = value(item, depth + 1);
    // Few values may differ from each other, so that a longer array would never be valid.
    const bool is_repeated = !may_stray_ && schema.value("uniqueItems", false) &&
                             std::ranges::find(result, made) != result.end();
    if (!is_repeated) result.push_back(std::move(made));
  }
  if (!result.empty() && strays(15)) result.push_back(Json(result[0]));
  return result;
}

/// Changes, replaces or removes the value or any part of it.
void ValueMaker::disturb(Json& value) {
  if (value.empty() || !value.is_structured() || random_.chance(25)) {
    if (value.is_number() && random_.chance(50)) {
      value = value.get<double>() + 1;
    } else if (value.is_string() && random_.chance(50)) {
      value = value.get<std::string>() + "a";
    } else {
      value = anything();
    }
    return;
  }
  auto chosen = value.begin();
  std::advance(chosen, static_cast<std::ptrdiff_t>(random_.below(value.size())));
  if (random_.chance(70)) {
    disturb(*chosen);
  } else {
    value.erase(chosen);
  }
}

}  // namespace fairway::contract_test
