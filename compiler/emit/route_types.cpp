#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "emit/application_files.hpp"
#include "emit/openapi.hpp"
#include "emit/shared_enumerations.hpp"
#include "emit/shared_structs.hpp"
#include "emit/source_parts.hpp"
#include "emit/struct_types.hpp"
#include "model/cpp_names.hpp"

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

TypeText location_text(const model::LocationSchema& location, const model::Route& route,
                       const std::string& route_name, const SharedStructs& shared,
                       SharedEnumerations& enumerations, model::NameScope& scope,
                       bool has_attributes) {
  const std::string name = scope.add(model::type_name(location.location));
  const bool is_body = location.location == "body";
  const std::string whole = is_body ? shared.find(route, "Body", false) : std::string();
  if (!whole.empty()) return {alias(name, whole), name};
  const bool is_header = location.location == "header";
  return struct_text(is_header ? with_lower_names(location.schema) : location.schema, name,
                     location_constant(location),
                     {.enclosing = route_name,
                      .decoder = decoder_of(location.location, location.schema),
                      .enumerations = &enumerations,
                      .structs = is_body ? &shared.within("Body") : nullptr,
                      .has_attributes = has_attributes});
}

/// The type of an array of shared items, and an alias for the items: `Response200Item`.
TypeText array_of_shared(const Node& node, const std::string& wish, const std::string& shared,
                         model::NameScope& scope) {
  std::string item = wish;
  std::string type;
  std::string end;
  for (const Node* each = &node; each->items; each = each->items.get()) {
    item += "Item";
    type += "std::vector<";
    end += ">";
  }
  item = scope.add(item);
  const std::string name = scope.add(wish);
  return {alias(item, shared) + alias(name, type + item + end), name};
}

TypeText response_text(const model::Route& route, const model::ResponseSchema& response,
                       const std::string& route_name, const SharedStructs& shared,
                       SharedEnumerations& enumerations, model::NameScope& scope,
                       bool has_attributes) {
  const std::string wish = response_name(response);
  const auto* node = std::get_if<Node>(&response.schema);
  const auto named = [&](const std::string& type) {
    const std::string name = scope.add(wish);
    return TypeText{alias(name, type), name};
  };
  if (!node) return named("fw::Json");
  const std::string whole = shared.find(route, wish, false);
  if (!whole.empty()) return named(whole);
  const std::string item = shared.find(route, wish, true);
  if (!item.empty()) return array_of_shared(*node, wish, item, scope);
  const Node* inner = node;
  while (inner->kind == fw::schema::Kind::array && inner->items) inner = inner->items.get();
  const bool has_members = inner->kind == fw::schema::Kind::object;
  TypeText type = type_text(*node, wish, scope,
                            {.enclosing = route_name,
                             .is_encoded = is_encodable(*node),
                             .enumerations = has_members ? &enumerations : nullptr,
                             .structs = &shared.within(wish),
                             .has_attributes = has_attributes});
  if (type.expression == wish) return type;
  const TypeText whole_type = named(type.expression);
  return {type.declarations + whole_type.declarations, whole_type.expression, type.definitions};
}

bool has_decoder(const model::LocationSchema& location) {
  return location.type.empty() && decoder_of(location.location, location.schema) != Decoder::none;
}

bool has_encoder(const model::ResponseSchema& response) {
  if (response.stream) return false;
  const auto* node = std::get_if<Node>(&response.schema);
  return response.type.empty() && node != nullptr && is_encodable(*node);
}

/// Whether items of a stream are written by generated functions.
bool has_item_encoder(const model::ResponseSchema& response) {
  return response.stream &&
         std::ranges::any_of(response.stream->items,
                             [](const model::StreamItem& item) { return item.type.empty(); });
}

/// Whether messages of a socket are read or written by generated functions.
bool has_message_codec(const model::Route& route) {
  return route.socket && route.has_generated_types();
}

/// Whether a type for all events of a stream or messages of a socket may be declared.
bool has_variants(const model::RouteFile& file) {
  return std::ranges::any_of(file.routes, [](const model::Route& route) {
    if (route.socket) return true;
    const model::ResponseSchema* response = route.streamed();
    return response != nullptr && response->stream->format == model::Stream::Format::events;
  });
}

/// The code that is emitted for a route.
struct RouteText {
  std::string declaration;  ///< the struct with the structs of its schemas
  std::vector<std::string> definitions;
  std::string row;  ///< members of fw::detail::RouteTypes
};

/// Adds the structs of a socket's messages, and their rows by direction.
void add_messages(const model::Socket& socket, const std::string& space, const std::string& name,
                  SharedEnumerations& enumerations, model::NameScope& scope,
                  std::vector<std::string>& blocks, RouteText& text) {
  std::string received;
  std::string sent;
  for (MessageText& message : message_texts(socket, name, enumerations, scope)) {
    blocks.push_back(std::move(message.type.declarations));
    text.definitions.push_back(std::move(message.type.definitions));
    const std::string row = fmt::format("{}, &typeid({}::{})", string_literal(message.name), name,
                                        message.type.expression);
    if (message.is_read) {
      received += fmt::format("{{{}, fw::detail::decode_message<{}::{}>}},\n", row, name,
                              message.type.expression);
    }
    if (message.is_always_valid) sent += fmt::format("{{{}}},\n", row);
  }
  for (const auto& [direction, member, rows] :
       {std::tuple("Receive", "receive", &received), {"Send", "send", &sent}}) {
    if (rows->empty()) continue;
    text.definitions.push_back(fill(R"(
constexpr fw::detail::MessageType k$name$$direction$[] = {
    $rows$
};
)",
                                    {{"name", name}, {"direction", direction}, {"rows", *rows}}));
    text.row += fmt::format(".{} = {}::k{}{},\n", member, space, name, direction);
  }
}

RouteText route_text(const model::Route& route, const std::string& space, const std::string& name,
                     const SharedStructs& shared, SharedEnumerations& enumerations,
                     bool has_attributes) {
  model::NameScope scope({name});
  RouteText text;
  std::vector<std::string> blocks;
  const std::string whole_name = space + "::" + name;
  for (const auto& location : route.validate) {
    if (!location.type.empty()) continue;  // a type of the application
    TypeText type =
        location_text(location, route, name, shared, enumerations, scope, has_attributes);
    blocks.push_back(std::move(type.declarations));
    text.definitions.push_back(std::move(type.definitions));
    if (has_decoder(location)) {
      text.row += fmt::format(".decode_{} = fw::detail::decode<{}::{}>,\n", location.location,
                              whole_name, type.expression);
    }
  }
  std::string responses;
  for (const auto& response : route.responses) {
    if (!response.type.empty()) continue;
    if (response.stream) {
      for (StreamText& item : stream_texts(*response.stream, name, enumerations, scope)) {
        blocks.push_back(std::move(item.type.declarations));
        text.definitions.push_back(std::move(item.type.definitions));
        if (!item.is_always_valid) continue;
        responses +=
            fmt::format("{{{}, &typeid({}::{}), {}}},\n", string_literal(response.selector), name,
                        item.type.expression, string_literal(item.event));
      }
      continue;
    }
    TypeText type =
        response_text(route, response, name, shared, enumerations, scope, has_attributes);
    blocks.push_back(std::move(type.declarations));
    text.definitions.push_back(std::move(type.definitions));
    if (has_encoder(response)) {
      responses += fmt::format("{{{}, &typeid({}::{})}},\n", string_literal(response.selector),
                               name, type.expression);
    }
  }
  if (route.socket) add_messages(*route.socket, space, name, enumerations, scope, blocks, text);
  if (!responses.empty()) {
    text.definitions.push_back(fill(R"(
constexpr fw::detail::ResponseType k$name$Responses[] = {
    $rows$
};
)",
                                    {{"name", name}, {"rows", responses}}));
    text.row += fmt::format(".responses = {}::k{}Responses,\n", space, name);
  }
  const std::string title = route.method + " " + route.path +
                            (route.docs.summary.empty() ? "" : ": " + route.docs.summary);
  text.declaration =
      fill(R"(
/// $title$
struct $name$ {
  $types$
};
)",
           {{"title", comment_text(title)}, {"name", name}, {"types", joined(blocks)}});
  return text;
}

/// The array of a file's types for the table: an element for each route.
std::string types_array(const model::Application& application, const model::RouteFile& file,
                        const std::string& rows) {
  return fill(R"(
extern const fw::detail::RouteTypes $name$[];
const fw::detail::RouteTypes $name$[] = {
    $rows$
};
)",
              {{"name", model::types_name(file.path, application.name)}, {"rows", rows}});
}

// A scope that contains the names of nested namespaces, because structs in `space` must not have
// them.
model::NameScope scope_of(const model::Application& application, const std::string& space) {
  model::NameScope scope({});
  std::set<std::string> inner;
  for (const model::RouteFile& file : application.files) {
    const std::string other = model::namespace_of(file.path);
    if (!other.starts_with(space + "::")) continue;
    const std::string rest = other.substr(space.size() + 2);
    inner.insert(rest.substr(0, rest.find("::")));
  }
  for (const std::string& name : inner) scope.add(name);
  return scope;
}

/// Puts the content into the namespace of a file's types and, within it, the namespace of the
/// application if there are several.
std::string in_namespace(const model::Application& application, const std::string& space,
                         std::string content) {
  if (content.empty()) return {};
  if (!application.name.empty()) {
    content = fill(R"(
inline namespace $function$ {

$content$

}  // namespace $function$
)",
                   {{"function", model::app_function(application.name)}, {"content", content}});
  }
  return fill(R"(
namespace $space$ {

$content$

}  // namespace $space$
)",
              {{"space", space}, {"content", content}});
}

/// The path of the header from the folder of the source.
std::string header_from_source(const model::RouteFile& file) {
  std::string path;
  for (auto depth = std::ranges::count(file.path, '/'); depth > 0; --depth) path += "../";
  return path + "include/" + model::routes_header_path(file.path);
}

/// The namespace of the types in full: headers of several applications may be in one translation
/// unit.
std::string whole_space_of(const model::Application& application, const model::RouteFile& file) {
  const std::string space = model::namespace_of(file.path);
  return application.name.empty() ? space : space + "::" + model::app_function(application.name);
}

std::vector<std::string> route_names(const model::RouteFile& file, model::NameScope& scope) {
  std::vector<std::string> names;
  for (const model::Route& route : file.routes) {
    names.push_back(scope.add(model::type_name(route.operation_id)));
  }
  return names;
}

/// The types of a file, and the functions that read and write them.
struct FileText {
  model::NameScope scope;                ///< of the namespace
  std::vector<std::string> routes = {};  ///< names
  std::set<std::string> shared = {};     ///< names
  std::vector<std::string> declarations = {};
  std::vector<std::string> definitions = {};
  std::string rows = {};  ///< of the array of types
};

/// `has_attributes`: as in `TypeContext`.
FileText file_text(const model::Application& application, const model::RouteFile& file,
                   SharedEnumerations& enumerations, bool has_attributes) {
  FileText text{.scope = scope_of(application, model::namespace_of(file.path))};
  text.routes = route_names(file, text.scope);
  const std::string space = whole_space_of(application, file);
  const SharedStructs shared(file, space, enumerations, text.scope, has_attributes);
  text.shared = shared.names();
  text.declarations = {enumerations.declarations(has_attributes), shared.declarations()};
  text.definitions = {enumerations.definitions(), shared.definitions()};
  for (std::size_t i = 0; i < file.routes.size(); ++i) {
    RouteText route;
    if (file.routes[i].has_generated_types()) {
      route =
          route_text(file.routes[i], space, text.routes[i], shared, enumerations, has_attributes);
    }
    text.declarations.push_back(std::move(route.declaration));
    text.definitions.insert(text.definitions.end(), route.definitions.begin(),
                            route.definitions.end());
    text.rows += route.row.empty() ? "{},\n" : fill("{\n    $row$\n},\n", {{"row", route.row}});
  }
  return text;
}

/// `enumerations`: gets those that structs share, which the text declares.
FileText whole_text(const model::Application& application, const model::RouteFile& file,
                    SharedEnumerations& enumerations, bool has_attributes = false) {
  FileText text = file_text(application, file, enumerations, has_attributes);
  model::NameScope scope = text.scope;
  enumerations.declare(scope);
  // Without any, which is usual, it has no aliases of them.
  if (enumerations.names().empty()) return text;
  return file_text(application, file, enumerations, has_attributes);
}

resolve::HeaderTypes types_of(FileText text, const SharedEnumerations& enumerations) {
  text.shared.merge(enumerations.names());
  return {.routes = std::move(text.routes), .shared = std::move(text.shared)};
}

resolve::HeaderTypes header_types(const model::Application& application,
                                  const model::RouteFile& file) {
  SharedEnumerations enumerations(whole_space_of(application, file));
  return types_of(whole_text(application, file, enumerations), enumerations);
}

bool have_one_type(const Node& a, const Node& b) {
  const auto text = [](const Node& node) {
    const TypeText type = struct_text(node, "T", "");
    return type.declarations + type.definitions;
  };
  return text(a) == text(b);
}

std::set<std::string> dangling_references(const model::Application& application) {
  std::set<std::string> references;
  for (ReferenceError& error : reference_errors(application, {})) {
    references.insert(std::move(error.reference));
  }
  return references;
}

}  // namespace

resolve::GeneratedCode generated_code() {
  return {.header_types = header_types,
          .have_one_type = have_one_type,
          .dangling_references = dangling_references};
}

bool has_runtime_types(const model::RouteFile& file) {
  return std::ranges::any_of(file.routes, [](const model::Route& route) {
    return has_message_codec(route) || std::ranges::any_of(route.validate, has_decoder) ||
           std::ranges::any_of(route.responses, has_encoder) ||
           std::ranges::any_of(route.responses, has_item_encoder);
  });
}

namespace {

/// Whether there is a value of the type fw::Json, not only a reference.
bool has_json_values(std::string_view declarations) {
  constexpr std::string_view kType = "fw::Json";
  for (std::size_t at = declarations.find(kType); at != declarations.npos;
       at = declarations.find(kType, at)) {
    at += kType.size();
    if (!declarations.substr(at).starts_with('&')) return true;
  }
  return false;
}

/// The header of fw::Json is larger than all others: only declarations that need it include it.
std::string json_include(const std::vector<std::string>& declarations) {
  return std::ranges::any_of(declarations, has_json_values) ? "#include <fairway/json.hpp>"
                                                            : "#include <fairway/json_fwd.hpp>";
}

/// `local`: the code of the types that the file itself defines.
std::string header_text(const model::Application& application, const model::RouteFile& file,
                        const std::vector<std::string>& declarations, const std::string& local) {
  const std::string head =
      fill(R"(
$banner$
#pragma once

$json$
#include <fairway/location.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
$variant$
#include <vector>
)",
           {{"banner", banner("//", "Types of " + application.source_name + "/" + file.path)},
            {"json", json_include(declarations)},
            {"variant", has_variants(file) ? "#include <variant>" : ""}});
  return joined({head, local.empty() ? "" : "#include <fairway/generated/type_code.hpp>\n",
                 in_namespace(application, model::namespace_of(file.path), joined(declarations)),
                 local});
}

}  // namespace

RouteTypeFiles emit_route_types(const model::Application& application,
                                const model::RouteFile& file) {
  const std::string space = model::namespace_of(file.path);
  SharedEnumerations enumerations(whole_space_of(application, file));
  const FileText text = whole_text(application, file, enumerations);
  const std::string title = application.source_name + "/" + file.path;
  RouteTypeFiles files;
  files.header =
      header_text(application, file, text.declarations, local_types_text(application, file));
  files.source = banner("//", "How the types of " + title + " are read and written");
  const std::string definitions = joined(text.definitions);
  const bool is_in_table = has_runtime_types(file);
  if (definitions.empty() && !is_in_table) return files;
  files.source += fill(R"(
#include "$header$"

#include <fairway/generated/field_reader.hpp>
#include <fairway/generated/json_reader.hpp>
#include <fairway/json.hpp>
#include <fairway/json_writer.hpp>
#include <fairway/generated/typed.hpp>

#include <string_view>
#include <typeinfo>

$content$

$array$
)",
                       {{"header", header_from_source(file)},
                        {"content", in_namespace(application, space, definitions)},
                        {"array", is_in_table ? types_array(application, file, text.rows) : ""}});
  return files;
}

RouteTypeDeclarations emit_route_declarations(const model::Application& application,
                                              const model::RouteFile& file) {
  SharedEnumerations enumerations(whole_space_of(application, file));
  FileText text = whole_text(application, file, enumerations, true);
  std::string header = header_text(application, file, text.declarations, "");
  return {.header = std::move(header), .types = types_of(std::move(text), enumerations)};
}

std::string routes_source_path(const model::RouteFile& file) {
  return file.path.substr(0, file.path.rfind('.')) + ".routes.cpp";
}

}  // namespace fairway::emit
