// Applies JSON Schemas to responses (docs/responses.md).
#pragma once

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>

#include "schema/node.hpp"

namespace fw::schema {

/// Whether the value is an integer of JSON Schema: a number without a fraction, as 7.0.
bool is_whole(const nlohmann::json& value);

/// A compiled JSON Schema. It only considers the structure of data: types, members, items,
/// `required`, and the selection of alternatives (`anyOf`, `oneOf`, `if`, with `enum` and `const`).
/// It does not check formats and bounds. Immutable and thread-safe.
class OutputSchema {
 public:
  /// Throws std::invalid_argument for a `$ref` that cannot be resolved, a name in
  /// `patternProperties` that is not a supported regular expression, and an infinitely recursive
  /// schema.
  explicit OutputSchema(const nlohmann::json& schema);
  ~OutputSchema();
  OutputSchema(OutputSchema&&) noexcept;
  OutputSchema& operator=(OutputSchema&&) noexcept;

  /// Removes members that an object schema does not declare, at any depth, adds `default` values,
  /// and converts without loss: "7" to the integer 7, 7 and true to strings, 7.0 to an integer. An
  /// object schema without declared members keeps all members. An optional null member is removed.
  /// Returns an error if something is missing or cannot be converted; the value is then partly
  /// converted. The time is linear in the size of the value, even for recursive schemas with
  /// alternatives: a value that needs too many attempts counts as not convertible.
  std::optional<FieldError> apply(nlohmann::json& value) const;

 private:
  struct Graph;
  std::unique_ptr<const Graph> graph_;
};

}  // namespace fw::schema
