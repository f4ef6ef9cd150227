// Writes schemas of the schema language as structs with the same meaning (docs/types.md).
#pragma once

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/json_names.hpp"
#include "schema/node.hpp"

namespace fairway::rewrite {

/// No struct certainly means the same; the message is the reason.
class NotWritable : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Whether a schema says more than a type of C++ does.
bool has_rules(const fw::schema::Node& node);

/// Equal schemas share one struct.
class StructWriter {
 public:
  /// Structs get no name that is `taken`.
  StructWriter(model::JsonNames json_names, std::set<std::string> taken)
      : json_names_(json_names), taken_(std::move(taken)) {}

  /// The type of a schema, not considering whether it is optional: "NewUser",
  /// "std::vector<NewUser>". Adds its structs, whose names begin with `name`. Throws NotWritable,
  /// and then the writer must not be used any more.
  std::string type_of(const fw::schema::Node& node, const std::string& name);

  /// The definitions, each after those that it needs.
  const std::vector<std::string>& structs() const { return structs_; }
  /// Headers of the standard library: "<optional>".
  const std::set<std::string>& headers() const { return headers_; }

 private:
  std::string struct_of(const fw::schema::Node& object, const std::string& name);
  std::string leaf(const fw::schema::Node& node);
  std::string in_std(const std::string& type, const std::string& header);

  model::JsonNames json_names_;
  std::set<std::string> taken_;
  std::vector<std::string> structs_;
  std::set<std::string> headers_;
  std::map<std::string, std::string> names_;  ///< of structs, by their members
};

}  // namespace fairway::rewrite
