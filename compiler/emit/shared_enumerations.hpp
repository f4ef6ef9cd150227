// Enumerations that the structs of a route file have in common.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/cpp_names.hpp"

namespace fairway::emit {

/// The declarations of an enumeration and its functions: in a struct, friends. `has_attribute`:
/// whether it has its schema as an attribute.
std::string enumeration_text(const std::vector<std::string>& values, const std::string& name,
                             bool is_in_struct, bool has_attribute);

/// The definitions of its conversions, for the namespace around everything. `enclosing`: the
/// structs around it, "CreateUsers::Body", or empty.
std::string enumeration_conversions(const std::vector<std::string>& values, const std::string& name,
                                    const std::string& enclosing);

/// The enumerators of the values, in their order.
std::vector<std::string> enumerators_of(const std::vector<std::string>& values);

/// Enumerations with the same name and values are one type, so that their values can be assigned.
/// The structs are written twice: first to find these enumerations, then with aliases of them.
class SharedEnumerations {
 public:
  /// `space` is the namespace of the file's types.
  explicit SharedEnumerations(std::string space) : space_(std::move(space)) {}

  /// Notes the use of an enumeration in the struct `enclosing`, whose type is to have the name
  /// `wish`. Returns the qualified name of the shared type; empty if there is none, and before
  /// `declare`.
  std::string use(const std::string& wish, const std::vector<std::string>& values,
                  const std::string& enclosing);

  /// Declares a type in `scope` for each enumeration that several structs use.
  void declare(model::NameScope& scope);

  std::string declarations(bool have_attributes) const;
  std::string definitions() const;  ///< of functions
  std::set<std::string> names() const;

 private:
  struct Enumeration {
    std::string wish;
    std::vector<std::string> values;
    std::vector<std::string> structs = {};  ///< that use it, in their order
    std::string name = {};                  ///< of the shared type
  };

  std::string space_;
  std::vector<Enumeration> enumerations_;
};

}  // namespace fairway::emit
