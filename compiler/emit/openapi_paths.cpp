#include <algorithm>

#include "emit/openapi_parts.hpp"
#include "schema/route_path.hpp"

namespace fairway::emit {
namespace {

std::vector<std::string> documented_names(const std::vector<std::string>& names) {
  std::vector<std::string> result = names;
  for (std::string& name : result) {
    if (name != "*") continue;
    name = "wildcard";
    while (std::ranges::count(result, name) > 1) name += '_';
  }
  return result;
}

// OpenAPI has no wildcards, so `/files/:id` and `/files/*rest` have the same path.
std::string documented_shape(const fw::schema::RoutePath& path) {
  std::string shape = path.shape();
  if (shape.ends_with("/*")) shape.back() = ':';
  return shape;
}

}  // namespace

DocumentedPath DocumentedPaths::add(const model::Route& route) {
  DocumentedPath result;
  const auto parsed = fw::schema::parse_route_path(route.path);
  const auto* path = std::get_if<fw::schema::RoutePath>(&parsed);
  if (!path) return {route.path, {}, {}};
  const auto& names =
      names_by_shape_.emplace(documented_shape(*path), documented_names(path->names)).first->second;
  for (std::size_t i = 0; i < names.size(); ++i) {
    result.parameters.emplace_back(path->names[i], names[i]);
  }
  const bool has_wildcard =
      !path->segments.empty() && path->segments.back().kind == fw::schema::Segment::Kind::wildcard;
  if (has_wildcard) result.wildcard = names.back();

  // Copies from the text, because parsed segments are in lower case.
  std::size_t next = 0;
  for (std::size_t i = 0; i < route.path.size(); ++i) {
    const bool is_parameter = route.path[i] == ':' || route.path[i] == '*';
    if (!is_parameter) {
      result.path += route.path[i];
      continue;
    }
    result.path += '{' + names[next] + '}';
    const std::string& written = path->names[next];
    if (written != "*") i += written.size();
    ++next;
  }
  return result;
}

}  // namespace fairway::emit
