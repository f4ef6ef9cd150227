// Visits the schemas within a JSON Schema by the table of keywords. Values that are data, such as
// the values of `const`, `default` and unknown keywords, contain no schemas.
//
//   for_each_schema(root, "", [](const Json& schema, const std::string& pointer) { … });
#pragma once

#include <string>

#include "base/json_text.hpp"
#include "schema/schema_keywords.hpp"

namespace fw::schema {

/// Calls `visit(schema, pointer, keyword)` for the schemas that the keywords of `schema` contain,
/// in the order of its members. `pointer` is the JSON pointer of `schema`. A value at the position
/// of a schema is visited even if it is not one.
template <class J, class Visit>
void for_each_subschema(J& schema, const std::string& pointer, const Visit& visit) {
  if (!schema.is_object()) return;
  for (auto& [name, value] : schema.items()) {
    const SchemaKeyword* keyword = find_schema_keyword(name);
    if (keyword == nullptr) continue;
    const bool is_list = keyword->value == KeywordValue::schemas && value.is_array();
    const bool is_map = (keyword->value == KeywordValue::named_schemas ||
                         keyword->value == KeywordValue::schemas_by_pattern) &&
                        value.is_object();
    if (!is_list && !is_map && keyword->value != KeywordValue::schema) continue;
    const std::string member = pointer + base::pointer_step(name);
    if (!is_list && !is_map) {
      visit(value, member, *keyword);
      continue;
    }
    for (auto& [step, part] : value.items()) {
      visit(part, member + base::pointer_step(step), *keyword);
    }
  }
}

/// Calls `visit(schema, pointer)` for `schema` and then for all schemas within it. `visit` may
/// change the schema that it is called with.
template <class J, class Visit>
void for_each_schema(J& schema, const std::string& pointer, const Visit& visit) {
  visit(schema, pointer);
  for_each_subschema(schema, pointer, [&](J& part, const std::string& at, const SchemaKeyword&) {
    for_each_schema(part, at, visit);
  });
}

}  // namespace fw::schema
