// Paths in the OpenAPI document.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/application.hpp"

namespace fairway::emit {

/// A route's path in the document.
struct DocumentedPath {
  std::string path;  ///< "/users/{id}"
  /// Parameters in order: the name in the route ("*" for a bare wildcard) and in the document.
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string wildcard;  ///< the document's name of the wildcard, if there is one
};

/// Paths that differ in their parameters only, by name or by one being a wildcard, are one path
/// item in OpenAPI: the names of the first route count.
class DocumentedPaths {
 public:
  DocumentedPath add(const model::Route& route);

 private:
  std::map<std::string, std::vector<std::string>> names_by_shape_;
};

}  // namespace fairway::emit
