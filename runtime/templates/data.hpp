// The data of a page, arranged for templates: one array of nodes, in the order of JSON text. Names
// are found by a scan of the members, which are few, and nothing is allocated for a value.
#pragma once

#include <fairway/json.hpp>

#include <cstdint>
#include <forward_list>
#include <string>
#include <string_view>
#include <vector>

namespace fw::templates {

/// A value. In an object, a node of the kind `string` with the name comes before each member.
struct DataNode {
  enum class Kind : std::uint8_t { null, no, yes, number, string, array, object };

  /// The node after this value and everything in it.
  const DataNode* after() const { return this + size; }
  /// The member of an object; null if there is none, or if the value is not an object.
  const DataNode* member(std::string_view name) const {
    if (kind != Kind::object) return nullptr;
    for (const DataNode* each = this + 1; each != after(); each = (each + 1)->after()) {
      if (each->text == name) return each + 1;
    }
    return nullptr;
  }

  std::string_view text = {};    ///< of a string; otherwise the JSON text, if it was parsed
  const Json* source = nullptr;  ///< null if it was parsed
  std::uint32_t size = 1;        ///< the number of nodes, with this one
  Kind kind = Kind::null;
};

/// Refers to the value or text that it was made from. Moves, but does not copy: nodes refer to each
/// other by their order only.
class Data {
 public:
  Data() = default;
  explicit Data(const Json& value) { append(value, 0); }
  explicit Data(const Json&&) = delete;
  Data(Data&&) = default;
  Data& operator=(Data&&) = default;

  /// Reads JSON text. Throws std::invalid_argument if it is malformed, or nested too deeply.
  static Data parse(std::string_view json);

  /// The whole value; there must be one.
  const DataNode& root() const { return nodes_.front(); }

 private:
  class Parser;

  void append(const Json& value, int depth);
  std::size_t begin(DataNode::Kind kind, const Json* source);
  void end(std::size_t begin);

  std::vector<DataNode> nodes_;
  std::forward_list<std::string> decoded_;  ///< strings with escapes
};

/// Whether a section is rendered for the value: not for null, false, 0, "" and [].
bool is_truthy(const DataNode* value);

}  // namespace fw::templates
