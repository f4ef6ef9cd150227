// JSON Schemas as they shape responses (reference: Runtime response schema).
#pragma once

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>

#include "schema/schema.hpp"

namespace fw::schema {

/// A JSON Schema, compiled once. It cares for the shape of data only: types, members, items,
/// `required`, and what chooses between alternatives (`anyOf`, `oneOf`, `if`, with `enum` and
/// `const`). Formats and bounds are the business of whoever made the data. Immutable, so that
/// threads may share it.
class OutputSchema {
 public:
  /// Throws std::invalid_argument for a `$ref` that cannot be followed, a name in
  /// `patternProperties` that is no supported regular expression, and a schema that contains itself
  /// without end.
  explicit OutputSchema(const nlohmann::json& schema);
  ~OutputSchema();
  OutputSchema(OutputSchema&&) noexcept;
  OutputSchema& operator=(OutputSchema&&) noexcept;

  /// Removes members that an object schema does not declare, at any depth, fills `default` values
  /// in, and converts where nothing is lost: "7" to an integer 7, 7 and true to texts, 7.0 to an
  /// integer. An object schema that declares no members keeps all. A null member that is optional
  /// is left out. Returns what is missing or cannot be converted; the value is then half done. The
  /// work is bounded in proportion to the size of the value, also for recursive schemas with
  /// alternatives: what would take more attempts to convert counts as what cannot be converted.
  std::optional<FieldError> apply(nlohmann::json& value) const;

 private:
  struct Graph;
  std::unique_ptr<const Graph> graph_;
};

}  // namespace fw::schema
