// Structs that the routes of a file have in common.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "emit/openapi_components.hpp"
#include "emit/shared_enumerations.hpp"
#include "emit/struct_types.hpp"
#include "model/application.hpp"
#include "model/cpp_names.hpp"

namespace fairway::emit {

/// Structs in the namespace of a file, by their schemas.
class NamedStructs {
 public:
  /// `name` is qualified.
  void add(const fw::schema::Node& object, const std::string& name);

  /// The name of the struct of an equal schema; empty if there is none.
  std::string find(const fw::schema::Node& object) const;

 private:
  struct Named {
    std::string text;  ///< with its functions
    std::string name;
  };

  std::map<std::string, Named> by_schema_;
};

/// A struct for each component of the OpenAPI document that several bodies or several responses of
/// a file have, as a whole, as the items of an array, or within another schema.
class SharedStructs {
 public:
  /// `space` is the namespace of the file's types, in which the structs get names that are not in
  /// `scope`. `have_attributes`: as in `TypeContext`.
  SharedStructs(const model::RouteFile& file, const std::string& space,
                SharedEnumerations& enumerations, model::NameScope& scope, bool have_attributes);

  const std::string& declarations() const { return declarations_; }
  const std::string& definitions() const { return definitions_; }
  std::set<std::string> names() const;

  /// The name of the struct for "Body" or "Response200" of a route; empty if there is none.
  /// `is_item`: whether it is the type of array items.
  std::string find(const model::Route& route, const std::string& part, bool is_item) const;

  /// For the schemas within a body or a response.
  const NamedStructs& within(const std::string& part) const;

 private:
  using Use = std::tuple<std::string, std::string, bool>;  ///< operation, part, is_item
  struct Source {
    const fw::schema::Node* node;
    std::string first_lines;
    TypeContext context;

    TypeText text(const std::string& name, SharedEnumerations* enumerations = nullptr,
                  const NamedStructs* structs = nullptr) const;
  };
  struct Shared {
    std::string name;
    std::string schema;
    std::vector<Use> uses;
  };

  void add(Components& components, const model::Route& route, const std::string& part,
           const fw::schema::Node& node, const std::string& first_lines,
           const TypeContext& context);
  void find_contained(const fw::schema::Node& node, const std::string& part);
  std::vector<Use> uses_of(const Components::Named& component) const;
  NamedStructs& within_part(const std::string& part);

  std::map<Use, Source> sources_;
  std::set<std::string> contained_;  ///< schemas within others, with "Body" or "Response"
  std::map<Use, std::string> names_;
  NamedStructs in_bodies_;
  NamedStructs in_responses_;
  std::string declarations_;
  std::string definitions_;
};

/// "Response200" and "ResponseDefault" for the selectors "200" and "default".
std::string response_name(const model::ResponseSchema& response);

/// The line with the location of a struct.
std::string location_constant(const model::LocationSchema& location);

}  // namespace fairway::emit
