// What would be generated for an application, for the rules about the use of generated code.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "model/application.hpp"

namespace fairway::resolve {

/// The names that the header of a route file declares in its namespace.
struct HeaderTypes {
  std::vector<std::string>
      routes;  ///< one for each route of the file, in order, even for routes without types
  std::set<std::string> shared;  ///< names of types that several routes share
};

/// Rules and emitters do not know each other: emit::generated_code() has these functions, and the
/// caller of the rules passes them on.
struct GeneratedCode {
  std::function<HeaderTypes(const model::Application& application, const model::RouteFile& file)>
      header_types;
  /// Whether two schemas have the same type in C++.
  bool (*have_one_type)(const fw::schema::Node& a, const fw::schema::Node& b);
  /// The references in the OpenAPI document that lead to no schema of the document.
  std::set<std::string> (*dangling_references)(const model::Application& application);
};

}  // namespace fairway::resolve
