// The parts of a JSON Schema that shape responses. Internal to output_schema and output_compiler.
#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/pattern.hpp"

namespace fw::schema {

struct OutputNode;

/// The types of JSON Schema, in the order in which conversions are tried.
enum class OutputType { null, boolean, integer, number, string, array, object };
inline constexpr std::array<std::string_view, 7> kOutputTypes = {
    "null", "boolean", "integer", "number", "string", "array", "object"};

struct OutputMember {
  std::string name;
  const OutputNode* node = nullptr;
  bool required = false;
};

struct OutputPattern {
  Pattern pattern;
  const OutputNode* node = nullptr;
};

/// Nodes refer to each other, in cycles if a schema is recursive.
struct OutputNode {
  bool is_false = false;          ///< the schema `false`: no value at all
  std::vector<OutputType> types;  ///< empty: any
  std::vector<OutputMember> members;
  std::vector<OutputPattern> patterns;
  bool is_closed = false;                       ///< other members are removed
  const OutputNode* additional = nullptr;       ///< else: their schema; null: they stay as they are
  const OutputNode* items = nullptr;            ///< null: as they are
  std::vector<const OutputNode*> prefix;        ///< of the first items
  std::vector<const OutputNode*> alternatives;  ///< of `anyOf`, each merged with the other keywords
  std::string discriminator;  ///< member that tells the alternatives apart; empty if there is none
  std::map<std::string, const OutputNode*> by_discriminator;  ///< alternatives by its value
  const OutputNode* condition = nullptr;
  const OutputNode* when_true = nullptr;  ///< of `then`, merged with the other keywords
  const OutputNode* when_false = nullptr;
  std::optional<std::vector<nlohmann::json>> values;  ///< `enum`, `const`
  std::optional<nlohmann::json> fallback;             ///< `default`
};

}  // namespace fw::schema
