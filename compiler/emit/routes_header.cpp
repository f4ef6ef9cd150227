#include "emit/routes_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "emit/cpp_names.hpp"
#include "emit/source_parts.hpp"
#include "emit/struct_types.hpp"
#include "emit/template.hpp"
#include "schema/ascii.hpp"

namespace fairway::emit {
namespace {

// Headers are validated under lower-case names.
fw::schema::Node with_lower_names(fw::schema::Node object) {
  for (auto& field : object.fields) {
    std::ranges::transform(field.name, field.name.begin(), fw::schema::to_lower);
  }
  return object;
}

std::string location_text(const model::LocationSchema& location, Scope& scope) {
  const bool is_header = location.location == "header";
  const std::string constant = fmt::format(
      "static constexpr fw::Location kLocation = fw::Location::{};\n", location.location);
  return struct_text(is_header ? with_lower_names(location.schema) : location.schema,
                     scope.add(type_name(location.location)), constant);
}

std::string response_text(const model::ResponseSchema& response, Scope& scope) {
  const std::string name =
      "Response" + (response.selector == "default" ? "Default" : response.selector);
  const auto* node = std::get_if<fw::schema::Node>(&response.schema);
  if (!node) return fmt::format("using {} = fw::Json;\n", scope.add(name));
  const TypeText type = type_text(*node, name, scope);
  if (type.expression == name) return type.declarations;
  return type.declarations + fmt::format("using {} = {};\n", scope.add(name), type.expression);
}

std::string route_text(const model::Route& route, const std::string& name) {
  Scope scope({name});
  std::vector<std::string> blocks;
  for (const auto& location : route.validate) blocks.push_back(location_text(location, scope));
  for (const auto& response : route.responses) blocks.push_back(response_text(response, scope));
  const std::string title = route.method + " " + route.path +
                            (route.docs.summary.empty() ? "" : ": " + route.docs.summary);
  return fill(R"(
/// $title$
struct $name$ {
  $types$
};
)",
              {{"title", comment_text(title)}, {"name", name}, {"types", joined(blocks)}});
}

// Namespaces inside `space`: a struct of the same name could not be included together with them.
Scope scope_of(const model::Application& application, const std::string& space) {
  Scope scope({});
  std::set<std::string> inner;
  for (const model::RouteFile& file : application.files) {
    const std::string other = namespace_of(file.path);
    if (!other.starts_with(space + "::")) continue;
    const std::string rest = other.substr(space.size() + 2);
    inner.insert(rest.substr(0, rest.find("::")));
  }
  for (const std::string& name : inner) scope.add(name);
  return scope;
}

}  // namespace

std::string emit_routes_header(const model::Application& application,
                               const model::RouteFile& file) {
  const std::string space = namespace_of(file.path);
  Scope scope = scope_of(application, space);
  std::vector<std::string> blocks;
  for (const model::Route& route : file.routes) {
    const std::string name = scope.add(type_name(route.operation_id));
    const bool has_types = !route.validate.empty() || !route.responses.empty();
    if (has_types) blocks.push_back(route_text(route, name));
  }
  std::string content = joined(blocks);
  if (!application.name.empty()) {
    content = fill(R"(
inline namespace $function$ {

$content$

}  // namespace $function$
)",
                   {{"function", app_function(application.name)}, {"content", content}});
  }
  return fill(R"(
$banner$
#pragma once

#include <fairway/json.hpp>
#include <fairway/location.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace $space$ {

$content$

}  // namespace $space$
)",
              {{"banner", banner("//", "Types of " + application.source_name + "/" + file.path)},
               {"space", space},
               {"content", content}});
}

std::string routes_header_path(const model::RouteFile& file) {
  return "fairway/" + file.path.substr(0, file.path.rfind('.')) + ".routes.hpp";
}

}  // namespace fairway::emit
