// Checks values against the schemas of an OpenAPI document.
#pragma once

#include <optional>
#include <string>

#include "diff/document.hpp"

namespace fairway::contract_test {

using diff::Json;

/// The first part of a value that does not match its schema.
struct Mismatch {
  std::string pointer;   ///< JSON pointer in the value; empty for the whole value
  std::string expected;  ///< "an integer", "at most 10", "the member 'id'"
  std::string found;     ///< "the string \"a\"", "12", "nothing"

  /// "/data/id: expected an integer, found the string \"a\""
  std::string text() const;
};

/// Knows the keywords of JSON Schema 2020-12 that apply to a single document, and `nullable` of
/// OpenAPI 3.0. Formats are the formats of the schema language; others are annotations.
/// Thread-safe.
class SchemaChecker {
 public:
  /// The document must outlive the checker.
  explicit SchemaChecker(const diff::Document& document) : document_(document) {}

  /// Empty if the value matches. Throws BadDocument for a reference that cannot be resolved.
  std::optional<Mismatch> check(const Json& value, const Json& schema) const;
  /// The schema that `$ref` refers to; other keywords beside it apply too.
  const Json& target(const Json& schema) const;
  /// The target through any number of references, or the schema itself.
  const Json& resolved(const Json& schema) const;

 private:
  const diff::Document& document_;
};

/// Whether `text` has a format of the schema language; true for other formats.
bool has_format(const std::string& format, const std::string& text);

/// Whether the expression matches some part of `text`; true for expressions that are not supported.
bool matches_pattern(const std::string& pattern, const std::string& text);

}  // namespace fairway::contract_test
