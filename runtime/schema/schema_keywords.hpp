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

/// What a keyword does with the values that the schema accepts.
enum class KeywordEffect {
  nothing,
  lower_bound,  ///< the larger of two is the tighter one
  upper_bound,  ///< the smaller one is
  restricts,    ///< rejects values, whatever the other keywords are
  combines,     ///< together with other keywords, or with the same one of other schemas
};

struct SchemaKeyword {
  std::string_view name;
  KeywordValue value;
  InOpenApi30 in_openapi_3_0;
  KeywordEffect effect;
};

namespace keywords {

using enum KeywordValue;
using enum InOpenApi30;
using enum KeywordEffect;

/// All keywords but `type`, `const` and `default`, which take more than one kind of value.
inline constexpr SchemaKeyword kAll[] = {
    {"$anchor", string, omitted, nothing},
    {"$comment", string, omitted, nothing},
    {"$defs", named_schemas, omitted, nothing},
    {"$dynamicAnchor", string, omitted, nothing},
    {"$dynamicRef", string, widens, restricts},
    {"$id", string, omitted, nothing},
    {"$ref", string, kept, combines},
    {"$schema", string, omitted, nothing},
    {"$vocabulary", named_flags, omitted, nothing},
    {"additionalProperties", schema, kept, combines},
    {"allOf", schemas, kept, combines},
    {"anyOf", schemas, kept, combines},
    {"contains", schema, widens, restricts},
    {"contentEncoding", string, omitted, restricts},
    {"contentMediaType", string, omitted, restricts},
    {"contentSchema", schema, omitted, restricts},
    {"definitions", named_schemas, omitted, nothing},
    {"dependentRequired", named_strings, widens, restricts},
    {"dependentSchemas", named_schemas, widens, restricts},
    {"deprecated", flag, kept, nothing},
    {"description", string, kept, nothing},
    {"else", schema, widens, combines},
    {"enum", list, kept, combines},
    {"examples", values, kept, nothing},
    {"exclusiveMaximum", number, kept, upper_bound},
    {"exclusiveMinimum", number, kept, lower_bound},
    {"format", string, kept, combines},
    {"if", schema, widens, restricts},
    {"items", schema, kept, combines},
    {"maxContains", count, widens, combines},
    {"maxItems", count, kept, upper_bound},
    {"maxLength", count, kept, upper_bound},
    {"maxProperties", count, kept, upper_bound},
    {"maximum", number, kept, upper_bound},
    {"minContains", count, widens, combines},
    {"minItems", count, kept, lower_bound},
    {"minLength", count, kept, lower_bound},
    {"minProperties", count, kept, lower_bound},
    {"minimum", number, kept, lower_bound},
    {"multipleOf", positive, kept, restricts},
    {"not", schema, kept, restricts},
    {"nullable", flag, kept, combines},
    {"oneOf", schemas, kept, combines},
    {"pattern", string, kept, combines},
    {"patternProperties", schemas_by_pattern, widens, restricts},
    {"prefixItems", schemas, widens, combines},
    {"properties", named_schemas, kept, combines},
    {"propertyNames", schema, widens, restricts},
    {"readOnly", flag, kept, nothing},
    {"required", strings, kept, combines},
    {"then", schema, widens, combines},
    {"title", string, kept, nothing},
    {"unevaluatedItems", schema, widens, restricts},
    {"unevaluatedProperties", schema, widens, restricts},
    {"uniqueItems", flag, kept, restricts},
    {"writeOnly", flag, kept, nothing},
};

}  // namespace keywords

/// Null for names that are not in the table.
constexpr const SchemaKeyword* find_schema_keyword(std::string_view name) {
  const auto* found = std::ranges::find(keywords::kAll, name, &SchemaKeyword::name);
  return found == std::end(keywords::kAll) ? nullptr : found;
}

}  // namespace fw::schema
