#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "emit/application_files.hpp"
#include "emit/cpp_names.hpp"
#include "emit/openapi_components.hpp"
#include "emit/source_parts.hpp"
#include "emit/struct_types.hpp"

namespace fairway::emit {
namespace {

// Validated headers have lower-case names.
fw::schema::Node with_lower_names(fw::schema::Node object) {
  for (auto& field : object.fields) {
    field.name = fw::base::lower_case(field.name);
  }
  return object;
}

using fw::schema::Node;

std::string location_constant(const model::LocationSchema& location) {
  return fmt::format("static constexpr fw::Location kLocation = fw::Location::{};\n",
                     location.location);
}

std::string response_name(const model::ResponseSchema& response) {
  return "Response" + (response.selector == "default" ? "Default" : response.selector);
}

/// Types that several routes of a file share: one for each component that the OpenAPI document
/// shares among them.
class SharedTypes {
 public:
  SharedTypes(const model::RouteFile& file, Scope& scope) {
    Components components;
    for (const model::Route& route : file.routes) {
      for (const auto& location : route.validate) {
        if (location.location != "body") continue;
        add(components, route, "Body", location.schema, location_constant(location));
      }
      for (const auto& response : route.responses) {
        const auto* node = std::get_if<Node>(&response.schema);
        if (node) add(components, route, response_name(response), *node, "");
      }
    }
    for (const Components::Named& shared : components.shared()) declare(shared, scope);
  }

  const std::string& declarations() const { return declarations_; }

  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& [use, name] : names_) names.insert(name);
    return names;
  }

  /// The name of the shared type; empty if there is none. `is_item`: whether it is the type of
  /// array items.
  std::string find(const model::Route& route, const std::string& part, bool is_item) const {
    const auto found = names_.find({route.operation_id, part, is_item});
    return found == names_.end() ? std::string() : found->second;
  }

 private:
  using Use = std::tuple<std::string, std::string, bool>;  ///< operation, part, is_item
  struct Source {
    const Node* node;
    std::string first_lines;
  };

  void add(Components& components, const model::Route& route, const std::string& part,
           const Node& node, const std::string& first_lines) {
    components.declared(node, {.file = {}, .operation_id = route.operation_id, .part = part});
    const Node* item = &node;
    while (item->kind == fw::schema::Kind::array && item->items) item = item->items.get();
    sources_[{route.operation_id, part, item != &node}] = {item, first_lines};
  }

  void declare(const Components::Named& shared, Scope& scope) {
    // A shared type must not have the name of a type within a route.
    const bool is_part = shared.name == "Body" || shared.name.starts_with("Response");
    const std::string wish = is_part ? shared.name + "Type" : shared.name;
    std::string text;
    std::vector<Use> uses;
    for (const SchemaUse& use : shared.uses) {
      const Use key{use.operation_id, use.part, use.is_item};
      const auto source = sources_.find(key);
      if (source == sources_.end() || source->second.node->fields.empty()) continue;
      const std::string own = struct_text(*source->second.node, wish, source->second.first_lines);
      if (text.empty()) text = own;
      // Equal JSON Schemas may have different types in C++.
      if (own == text) uses.push_back(key);
    }
    if (uses.size() < 2) return;
    const std::string name = scope.add(wish);
    if (name != wish) {
      const Source& source = sources_.at(uses.front());
      text = struct_text(*source.node, name, source.first_lines);
    }
    append_block(declarations_, text);
    for (const Use& use : uses) names_[use] = name;
  }

  std::map<Use, Source> sources_;
  std::map<Use, std::string> names_;
  std::string declarations_;
};

std::string alias(const std::string& name, const std::string& type) {
  return fmt::format("using {} = {};\n", name, type);
}

std::string location_text(const model::LocationSchema& location, const std::string& shared,
                          Scope& scope) {
  const std::string name = scope.add(type_name(location.location));
  if (!shared.empty()) return alias(name, shared);
  const bool is_header = location.location == "header";
  return struct_text(is_header ? with_lower_names(location.schema) : location.schema, name,
                     location_constant(location));
}

/// An array of shared items still has an alias for its items: `Response200Item`.
std::string array_of_shared(const Node& node, const std::string& name, const std::string& shared,
                            Scope& scope) {
  std::string item = name;
  std::string type;
  std::string end;
  for (const Node* each = &node; each->items; each = each->items.get()) {
    item += "Item";
    type += "std::vector<";
    end += ">";
  }
  item = scope.add(item);
  return alias(item, shared) + alias(scope.add(name), type + item + end);
}

std::string response_text(const model::Route& route, const model::ResponseSchema& response,
                          const SharedTypes& shared, Scope& scope) {
  const std::string name = response_name(response);
  const auto* node = std::get_if<Node>(&response.schema);
  if (!node) return alias(scope.add(name), "fw::Json");
  const std::string whole = shared.find(route, name, false);
  if (!whole.empty()) return alias(scope.add(name), whole);
  const std::string item = shared.find(route, name, true);
  if (!item.empty()) return array_of_shared(*node, name, item, scope);
  const TypeText type = type_text(*node, name, scope);
  if (type.expression == name) return type.declarations;
  return type.declarations + alias(scope.add(name), type.expression);
}

std::string route_text(const model::Route& route, const std::string& name,
                       const SharedTypes& shared) {
  Scope scope({name});
  std::vector<std::string> blocks;
  for (const auto& location : route.validate) {
    const bool is_body = location.location == "body";
    blocks.push_back(
        location_text(location, is_body ? shared.find(route, "Body", false) : "", scope));
  }
  for (const auto& response : route.responses) {
    blocks.push_back(response_text(route, response, shared, scope));
  }
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

// The names of nested namespaces, which structs in `space` must not have.
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

std::vector<std::string> route_names(const model::RouteFile& file, Scope& scope) {
  std::vector<std::string> names;
  for (const model::Route& route : file.routes) {
    names.push_back(scope.add(type_name(route.operation_id)));
  }
  return names;
}

}  // namespace

bool has_types(const model::Route& route) {
  return !route.validate.empty() || !route.responses.empty();
}

HeaderTypes header_types(const model::Application& application, const model::RouteFile& file) {
  Scope scope = scope_of(application, namespace_of(file.path));
  HeaderTypes types;
  types.routes = route_names(file, scope);
  types.shared = SharedTypes(file, scope).names();
  return types;
}

std::string emit_routes_header(const model::Application& application,
                               const model::RouteFile& file) {
  const std::string space = namespace_of(file.path);
  Scope scope = scope_of(application, space);
  const std::vector<std::string> names = route_names(file, scope);
  const SharedTypes shared(file, scope);
  std::vector<std::string> blocks = {shared.declarations()};
  for (std::size_t i = 0; i < file.routes.size(); ++i) {
    const model::Route& route = file.routes[i];
    if (has_types(route)) blocks.push_back(route_text(route, names[i], shared));
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
