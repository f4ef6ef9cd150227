#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

#include "base/ascii.hpp"
#include "base/json_position.hpp"
#include "base/json_text.hpp"
#include "model/schema_text.hpp"
#include "rules/route_rules.hpp"
#include "schema/output_schema.hpp"
#include "schema/pattern.hpp"
#include "schema/schema_references.hpp"

namespace fairway::rules {
namespace {

using fw::schema::KeywordValue;
using model::Json;

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

bool is_anchor(std::string_view name) {
  const auto is_part = [](char c) {
    return fw::base::is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
  };
  return !name.empty() && (fw::base::is_letter(name.front()) || name.front() == '_') &&
         std::ranges::all_of(name, is_part);
}

/// The names in 'patternProperties', which the runtime matches with the members of responses.
std::optional<JsonError> find_pattern_error(const Json& schemas, const std::string& pointer) {
  for (const auto& [name, schema] : schemas.items()) {
    try {
      fw::schema::Pattern pattern(name);
    } catch (const std::invalid_argument& error) {
      return JsonError{pointer, fmt::format("cannot be used: {}", error.what())};
    }
    if (const auto error = pattern_error(name, PatternUse::shared)) {
      return JsonError{pointer, fmt::format("cannot be used: '{}' is not a regular expression: {}",
                                            name, error->message)};
    }
  }
  return std::nullopt;
}

/// An error in the value of a keyword, not counting those in the schemas that it contains.
std::optional<JsonError> find_keyword_error(KeywordValue kind, const Json& value,
                                            const std::string& pointer) {
  switch (kind) {
    case KeywordValue::schema:
      return std::nullopt;
    case KeywordValue::schemas:
      return expect(value.is_array() && !value.empty(), pointer, "a list of schemas");
    case KeywordValue::named_schemas:
      return expect(value.is_object(), pointer, "an object of schemas");
    case KeywordValue::schemas_by_pattern:
      if (!value.is_object()) return JsonError{pointer, "must be an object of schemas"};
      return find_pattern_error(value, pointer);
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

/// What the type of a keyword's value does not say.
std::optional<JsonError> find_restriction_error(std::string_view keyword, const Json& value,
                                                const std::string& pointer, bool is_root) {
  if (keyword == "$id" && !is_root) {
    return JsonError{pointer,
                     "changes the base of the references below it; only the whole schema can have "
                     "an '$id'"};
  }
  if (keyword == "$dynamicRef") {
    return JsonError{pointer, "is not supported; '$ref' has the same meaning within one schema"};
  }
  if (keyword == "$anchor" || keyword == "$dynamicAnchor") {
    return expect(is_anchor(value.get_ref<const std::string&>()), pointer,
                  "a letter or '_', followed by letters, digits, '-', '_' and '.'");
  }
  if (keyword != "pattern") return std::nullopt;
  const auto error = pattern_error(value.get_ref<const std::string&>(), PatternUse::client);
  if (!error) return std::nullopt;
  return JsonError{pointer, "is not a regular expression: " + error->message};
}

std::optional<JsonError> find_own_error(const Json& schema, const std::string& pointer,
                                        bool is_root) {
  if (schema.is_boolean()) return std::nullopt;
  if (!schema.is_object()) return JsonError{pointer, "must be an object, true or false"};
  for (const auto& [key, value] : schema.items()) {
    const std::string member = pointer + fw::base::pointer_step(key);
    if (key == "type") {
      if (auto error = find_type_error(value, member)) return error;
      continue;
    }
    const auto* keyword = fw::schema::find_schema_keyword(key);
    if (keyword == nullptr) continue;  // unknown keywords are annotations
    if (auto error = find_keyword_error(keyword->value, value, member)) return error;
    if (auto error = find_restriction_error(key, value, member, is_root)) return error;
  }
  return std::nullopt;
}

/// References lead to schemas within the whole schema, and the runtime can follow all of them.
std::optional<JsonError> find_reference_error(const Json& schema) {
  const fw::schema::SchemaReferences references(schema);
  if (const auto repeated = references.repeated_anchor()) {
    return JsonError{*repeated, "repeats the anchor of another schema"};
  }
  std::optional<JsonError> error;
  fw::schema::for_each_reference(schema, "", [&](const std::string& text, std::string pointer) {
    if (error || references.pointer_of(text)) return;
    error = JsonError{
        std::move(pointer),
        text.starts_with('#')
            ? fmt::format("refers to '{}', where there is no schema", text)
            : fmt::format("refers to '{}'; only references within the schema ('#/…') are possible",
                          text)};
  });
  if (error) return error;
  if (auto pointer = references.find_endless_reference()) {
    return JsonError{std::move(*pointer), "makes the schema infinitely recursive"};
  }
  return std::nullopt;
}

/// An error that the program would report at start.
std::optional<JsonError> find_start_error(const std::string& text) {
  try {
    const fw::schema::OutputSchema compiled(nlohmann::json::parse(text));
    return std::nullopt;
  } catch (const std::exception& error) {
    return JsonError{"", error.what()};
  }
}

model::Range range_of(const model::Value& text, const std::string& pointer) {
  const auto offset = fw::base::offset_of(text.text, pointer);
  if (pointer.empty() || !offset) return text.range;
  const model::TextSpan span = model::token_at(text.text, *offset);
  return part_of(text, span.offset, span.length);
}

void report_text_error(const model::SchemaTextError& error, const model::Value& text,
                       Reporter& reporter) {
  const auto range = [&](const model::TextSpan& span) {
    return span.length == 0 ? text.range : part_of(text, span.offset, span.length);
  };
  auto& reported = reporter.report(rules::bad_json_schema, error.message, range(error.span));
  if (!error.first) return;
  reported.help = "remove one of them";
  reported.notes.push_back({"first declared here", range(*error.first)});
}

}  // namespace

std::string schema_error_text(const JsonError& error) {
  return fmt::format("{} {}", error.pointer.empty() ? "it" : "'" + error.pointer + "'",
                     error.message);
}

std::optional<JsonError> find_schema_error(const Json& schema, const std::string& pointer) {
  std::optional<JsonError> error;
  fw::schema::for_each_schema(schema, pointer, [&](const Json& part, const std::string& at) {
    if (!error) error = find_own_error(part, at, at == pointer);
  });
  return error;
}

void check_json_schema(const model::Value& text, Reporter& reporter) {
  const auto parsed = model::parse_schema_text(text.text);
  if (const auto* error = std::get_if<model::SchemaTextError>(&parsed)) {
    return report_text_error(*error, text, reporter);
  }
  const Json& schema = std::get<Json>(parsed);
  auto error = find_schema_error(schema, "");
  if (!error) error = find_reference_error(schema);
  if (!error) error = find_start_error(text.text);
  if (!error) return;
  reporter.report(rules::bad_json_schema, "this is not a JSON Schema: " + schema_error_text(*error),
                  range_of(text, error->pointer));
}

}  // namespace fairway::rules
