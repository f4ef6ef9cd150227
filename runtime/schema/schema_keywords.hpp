// The keywords of JSON Schema 2020-12, with two former ones: `definitions`, and `nullable` of
// OpenAPI 3.0. The values that they take, and their conversion to OpenAPI 3.0.
#pragma once

#include <algorithm>
#include <string_view>

namespace fw::schema {

/// A keyword in the schema of a C++ type that the route compiler makes, and in no document: the
/// members that responses always have. Without it, they have those that are required and those with
/// a default.
inline constexpr std::string_view kRequiredInResponses = "x-required-in-responses";

enum class KeywordValue {
  schema,
  schemas,
  named_schemas,
  schemas_by_pattern,
  string,
  strings,
  named_strings,
  named_flags,
  flag,
  number,
  positive,
  count,
  list,  ///< at least one value
  values,
};

/// What happens to a keyword in a document of OpenAPI 3.0.
enum class InOpenApi30 {
  kept,     ///< 3.0 has it, in this or another form
  omitted,  ///< 3.0 lacks it, and it is only an annotation
  widens,   ///< 3.0 lacks it, and without it the schema allows more values
};

struct SchemaKeyword {
  std::string_view name;
  KeywordValue value;
  InOpenApi30 in_openapi_3_0;
};

namespace keywords {

using enum KeywordValue;
using enum InOpenApi30;

/// All keywords but `type`, `const` and `default`, which take more than one kind of value.
inline constexpr SchemaKeyword kAll[] = {
    {"$anchor", string, omitted},
    {"$comment", string, omitted},
    {"$defs", named_schemas, omitted},
    {"$dynamicAnchor", string, omitted},
    {"$dynamicRef", string, widens},
    {"$id", string, omitted},
    {"$ref", string, kept},
    {"$schema", string, omitted},
    {"$vocabulary", named_flags, omitted},
    {"additionalProperties", schema, kept},
    {"allOf", schemas, kept},
    {"anyOf", schemas, kept},
    {"contains", schema, widens},
    {"contentEncoding", string, omitted},
    {"contentMediaType", string, omitted},
    {"contentSchema", schema, omitted},
    {"definitions", named_schemas, omitted},
    {"dependentRequired", named_strings, widens},
    {"dependentSchemas", named_schemas, widens},
    {"deprecated", flag, kept},
    {"description", string, kept},
    {"else", schema, widens},
    {"enum", list, kept},
    {"examples", values, kept},
    {"exclusiveMaximum", number, kept},
    {"exclusiveMinimum", number, kept},
    {"format", string, kept},
    {"if", schema, widens},
    {"items", schema, kept},
    {"maxContains", count, widens},
    {"maxItems", count, kept},
    {"maxLength", count, kept},
    {"maxProperties", count, kept},
    {"maximum", number, kept},
    {"minContains", count, widens},
    {"minItems", count, kept},
    {"minLength", count, kept},
    {"minProperties", count, kept},
    {"minimum", number, kept},
    {"multipleOf", positive, kept},
    {"not", schema, kept},
    {"nullable", flag, kept},
    {"oneOf", schemas, kept},
    {"pattern", string, kept},
    {"patternProperties", schemas_by_pattern, widens},
    {"prefixItems", schemas, widens},
    {"properties", named_schemas, kept},
    {"propertyNames", schema, widens},
    {"readOnly", flag, kept},
    {"required", strings, kept},
    {"then", schema, widens},
    {"title", string, kept},
    {"unevaluatedItems", schema, widens},
    {"unevaluatedProperties", schema, widens},
    {"uniqueItems", flag, kept},
    {"writeOnly", flag, kept},
};

}  // namespace keywords

/// Null for names that are not in the table.
constexpr const SchemaKeyword* find_schema_keyword(std::string_view name) {
  const auto* found = std::ranges::find(keywords::kAll, name, &SchemaKeyword::name);
  return found == std::end(keywords::kAll) ? nullptr : found;
}

}  // namespace fw::schema
