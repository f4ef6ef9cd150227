// Compiles JSON Schemas to nodes. Internal to output_schema.
#pragma once

#include <nlohmann/json.hpp>

#include <deque>
#include <map>
#include <string>

#include "schema/output_node.hpp"

namespace fw::schema {

class OutputCompiler {
 public:
  /// Appends the compiled nodes to `nodes`. `root` must not change meanwhile.
  OutputCompiler(const nlohmann::json& root, std::deque<OutputNode>& nodes)
      : root_(root), nodes_(nodes) {}

  /// Throws std::invalid_argument for invalid references.
  const OutputNode* compile(const nlohmann::json& schema, int depth = 0);

 private:
  using Json = nlohmann::json;

  const Json& find(const std::string& reference) const;
  const OutputNode* compile_reference(const std::string& reference, int depth);
  /// The schema with `$ref` and `allOf` merged into it.
  Json flatten(Json schema, int depth) const;
  void fill(OutputNode& node, const Json& schema, int depth);
  void fill_members(OutputNode& node, const Json& schema, int depth);
  void fill_items(OutputNode& node, const Json& schema, int depth);

  const Json& root_;
  std::deque<OutputNode>& nodes_;
  std::map<std::string, const OutputNode*> referenced_;
};

}  // namespace fw::schema
