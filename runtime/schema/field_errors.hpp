// The path of a value in the input, and the list of validation errors. All messages are in
// field_errors.cpp.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/node.hpp"

namespace fw::schema {

/// The path of a value, as a chain of steps on the stack, which needs no allocation.
struct ValuePath {
  const ValuePath* parent = nullptr;  ///< Null for the input itself.
  std::string_view name;              ///< The member of the object `parent`.
  std::size_t index = 0;              ///< The item of the array `parent`, if `name` has no data.

  ValuePath() = default;
  ValuePath(const ValuePath& of, std::string_view member) : parent(&of), name(member) {}
  ValuePath(const ValuePath& of, std::size_t item) : parent(&of), index(item) {}

  /// `user/addr/city`, `items/0/id`; `value` for the input itself. Long ones are cut, because
  /// clients choose the names of the members of maps.
  std::string field() const;
};

/// Collects errors in their order.
class FieldErrors {
 public:
  /// The maximum number of errors, because a body with a million invalid items must not cause a
  /// huge response.
  static constexpr std::size_t kMax = 1000;

  bool full() const { return list_.size() >= kMax; }
  std::size_t size() const { return list_.size(); }
  std::vector<FieldError> take() { return std::move(list_); }

  /// "<field> is required", inserted at `position` of the list.
  void missing(const ValuePath& path, std::size_t position);
  /// "<field> must be sent as application/json …", for a body that no parser reads.
  void media_type(const ValuePath& path);
  /// "<field> must be <description of the type>".
  void wrong_type(const ValuePath& path, const Node& node);
  /// "<field> must be at least 2 characters long": a length, a value or a count outside the range.
  void out_of_range(const ValuePath& path, const Node& node, bool too_small);
  /// "<field> must match /<pattern>/"
  void no_match(const ValuePath& path, const Node& node);
  /// "<field> must not have equal items"
  void equal_items(const ValuePath& path);
  void number_too_large(const ValuePath& path, const Node& node);
  /// For a value that the schema accepts, but not the C++ type.
  void outside_type(const ValuePath& path);
  void not_utf8(const ValuePath& path);
  void nested_too_deep(const ValuePath& path, std::size_t levels);

 private:
  /// `problem` follows the name of the field.
  void add(const ValuePath& path, std::string_view rule, const std::string& problem,
           nlohmann::json params = nullptr);

  std::vector<FieldError> list_;
};

}  // namespace fw::schema
