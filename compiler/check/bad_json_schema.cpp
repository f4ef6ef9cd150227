#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "base/json_text.hpp"
#include "check/route_rules.hpp"
#include "model/schema_keywords.hpp"
#include "schema/pattern.hpp"

namespace fairway::check {
namespace {

using model::Json;
using model::KeywordValue;

constexpr std::array<std::string_view, 7> kTypes = {"null",   "boolean", "object", "array",
                                                    "number", "string",  "integer"};

std::optional<JsonError> expect(bool is_valid, const std::string& pointer, std::string_view what) {
  if (is_valid) return std::nullopt;
  return JsonError{pointer, fmt::format("must be {}", what)};
}

bool is_strings(const Json& value) {
  return value.is_array() &&
         std::ranges::all_of(value, [](const Json& item) { return item.is_string(); });
}

bool is_count(const Json& value) {
  return value.is_number_unsigned() ||
         (value.is_number_integer() && value.get<std::int64_t>() >= 0);
}

template <class Container>
std::optional<JsonError> find_error_in_all(const Container& schemas, const std::string& pointer) {
  for (const auto& [key, schema] : schemas.items()) {
    if (auto error = find_schema_error(schema, pointer + fw::base::pointer_step(key))) return error;
  }
  return std::nullopt;
}

/// The names in 'patternProperties', which the runtime matches with the members of responses.
std::optional<JsonError> find_pattern_error(const Json& schemas, const std::string& pointer) {
  for (const auto& [name, schema] : schemas.items()) {
    try {
      fw::schema::Pattern pattern(name);
    } catch (const std::invalid_argument& error) {
      return JsonError{pointer, fmt::format("cannot be used: {}", error.what())};
    }
  }
  return std::nullopt;
}

std::optional<JsonError> find_keyword_error(KeywordValue kind, const Json& value,
                                            const std::string& pointer) {
  switch (kind) {
    case KeywordValue::schema:
      return find_schema_error(value, pointer);
    case KeywordValue::schemas:
      if (!value.is_array() || value.empty())
        return JsonError{pointer, "must be a list of schemas"};
      return find_error_in_all(value, pointer);
    case KeywordValue::named_schemas:
      if (!value.is_object()) return JsonError{pointer, "must be an object of schemas"};
      return find_error_in_all(value, pointer);
    case KeywordValue::schemas_by_pattern:
      if (!value.is_object()) return JsonError{pointer, "must be an object of schemas"};
      if (auto error = find_pattern_error(value, pointer)) return error;
      return find_error_in_all(value, pointer);
    case KeywordValue::string:
      return expect(value.is_string(), pointer, "a string");
    case KeywordValue::strings:
      return expect(is_strings(value), pointer, "a list of strings");
    case KeywordValue::named_strings:
      return expect(value.is_object() && std::ranges::all_of(value, is_strings), pointer,
                    "an object of lists of strings");
    case KeywordValue::named_flags:
      return expect(value.is_object() && std::ranges::all_of(value, &Json::is_boolean), pointer,
                    "an object of booleans");
    case KeywordValue::flag:
      return expect(value.is_boolean(), pointer, "true or false");
    case KeywordValue::number:
      return expect(value.is_number(), pointer, "a number");
    case KeywordValue::positive:
      return expect(value.is_number() && value.get<double>() > 0, pointer, "a positive number");
    case KeywordValue::count:
      return expect(is_count(value), pointer, "an integer of at least 0");
    case KeywordValue::list:
      return expect(value.is_array() && !value.empty(), pointer, "a list of values");
    case KeywordValue::values:
      return expect(value.is_array(), pointer, "a list of values");
  }
  return std::nullopt;
}

std::optional<JsonError> find_type_error(const Json& type, const std::string& pointer) {
  if (type.is_array() && !type.empty()) {
    for (const Json& item : type) {
      if (auto error = find_type_error(item, pointer)) return error;
    }
    return std::nullopt;
  }
  if (!type.is_string())
    return JsonError{pointer, "must be the name of a type, or a list of type names"};
  const auto& name = type.get_ref<const std::string&>();
  if (std::ranges::find(kTypes, name) != kTypes.end()) return std::nullopt;
  return JsonError{pointer, fmt::format("names the unknown type '{}'", name)};
}

// "[json.exception.parse_error.101] parse error at line 1, column 9: syntax error while …" without
// the library's own prefix and location.
std::string parse_message(const Json::exception& error) {
  const std::string_view what = error.what();
  const std::size_t location = what.find("column ");
  if (location == std::string_view::npos) return std::string(what.substr(what.find("] ") + 2));
  const std::size_t colon = what.find(": ", location);
  return std::string(colon == std::string_view::npos ? what : what.substr(colon + 2));
}

}  // namespace

std::optional<JsonError> find_schema_error(const Json& schema, const std::string& pointer) {
  if (schema.is_boolean()) return std::nullopt;
  if (!schema.is_object()) return JsonError{pointer, "must be an object, true or false"};
  for (const auto& [key, value] : schema.items()) {
    const std::string member = pointer + fw::base::pointer_step(key);
    if (key == "type") {
      if (auto error = find_type_error(value, member)) return error;
      continue;
    }
    const auto* keyword = model::find_schema_keyword(key);
    if (keyword == nullptr) continue;  // unknown keywords are annotations
    if (auto error = find_keyword_error(keyword->value, value, member)) return error;
  }
  return std::nullopt;
}

bool is_json_schema(const model::Value& value) {
  return value.kind == model::Value::Kind::call && value.text == "json_schema" &&
         !value.items.empty() && value.items[0].kind == model::Value::Kind::string;
}

void check_json_schema(const model::Value& text, Reporter& reporter) {
  Json schema;
  try {
    schema = Json::parse(text.text);
  } catch (const Json::parse_error& error) {
    const std::size_t offset = error.byte == 0 ? 0 : error.byte - 1;
    reporter.report(rules::bad_json_schema,
                    fmt::format("this is not JSON: {}", parse_message(error)),
                    part_of(text, offset, 1));
    return;
  } catch (const Json::exception& error) {  // a number such as 1e400
    reporter.report(rules::bad_json_schema,
                    fmt::format("this is not JSON: {}", parse_message(error)), text.range);
    return;
  }
  if (const auto error = find_schema_error(schema, "")) {
    reporter.report(
        rules::bad_json_schema,
        fmt::format("this is not a JSON Schema: {} {}",
                    error->pointer.empty() ? "it" : "'" + error->pointer + "'", error->message),
        text.range);
  }
}

}  // namespace fairway::check
