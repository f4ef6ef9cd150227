// Compiles JSON Schemas to nodes. Internal to output_schema.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "schema/output_node.hpp"
#include "schema/schema_references.hpp"

namespace fw::schema {

class OutputCompiler {
 public:
  /// Appends the compiled nodes to `nodes`. `root` must not change meanwhile. Throws
  /// std::invalid_argument for an infinitely recursive schema.
  OutputCompiler(const nlohmann::json& root, std::deque<OutputNode>& nodes);

  /// Throws std::invalid_argument for invalid references.
  const OutputNode* compile(const nlohmann::json& schema, int depth = 0);

 private:
  using Json = nlohmann::json;

  const Json& find(const std::string& reference) const;
  /// The schema with `$ref` and `allOf` merged into it.
  Json flatten(Json schema, int depth);
  const Json& flatten_reference(const std::string& reference, int depth);
  void fill(OutputNode& node, const Json& schema, int depth);
  void fill_alternatives(OutputNode& node, const Json& schema, const char* keyword, int depth);
  /// The values of the discriminator that select an alternative.
  std::vector<std::string> discriminator_values(const Json& alternative, const Json& discriminator,
                                                int depth);
  void fill_members(OutputNode& node, const Json& schema, int depth);
  void fill_items(OutputNode& node, const Json& schema, int depth);

  SchemaReferences<Json> references_;
  std::deque<OutputNode>& nodes_;
  /// What references lead to, flattened: schemas that refer to others twice would take twice the
  /// time at each level.
  std::map<std::string, Json, std::less<>> flattened_;
  /// By the schema as CBOR, which represents every string, valid UTF-8 or not.
  std::map<std::vector<std::uint8_t>, const OutputNode*> compiled_;
};

}  // namespace fw::schema
