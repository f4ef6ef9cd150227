#include "emit/shared_structs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "emit/openapi_parts.hpp"
#include "emit/source_parts.hpp"

namespace fairway::emit {
namespace {

using fw::schema::Kind;
using fw::schema::Node;

bool is_response(const std::string& part) { return part.starts_with("Response"); }

std::string schema_of(const Node& node) { return schema_json(node).dump(); }

/// Bodies and responses share no structs.
std::string contained_key(const std::string& part, const Node& node) {
  return (is_response(part) ? "Response" : "Body") + schema_of(node);
}

const Node& innermost_item(const Node& node) {
  const Node* item = &node;
  while (item->kind == Kind::array && item->items) item = item->items.get();
  return *item;
}

/// The struct with its functions.
std::string text_of(const TypeText& type) { return type.declarations + type.definitions; }

std::string text_of(const Node& object) { return text_of(struct_text(object, "T", "")); }

}  // namespace

std::string location_constant(const model::LocationSchema& location) {
  return fmt::format("static constexpr fw::Location kLocation = fw::Location::{};\n",
                     location.location);
}

std::string response_name(const model::ResponseSchema& response) {
  return "Response" + (response.selector == "default" ? "Default" : response.selector);
}

void NamedStructs::add(const Node& object, const std::string& name) {
  by_schema_.emplace(schema_of(object), Named{text_of(object), name});
}

std::string NamedStructs::find(const Node& object) const {
  if (by_schema_.empty()) return {};
  const auto found = by_schema_.find(schema_of(object));
  // Equal JSON Schemas may have different types in C++.
  const bool is_equal = found != by_schema_.end() && found->second.text == text_of(object);
  return is_equal ? found->second.name : std::string();
}

TypeText SharedStructs::Source::text(const std::string& name, SharedEnumerations* enumerations,
                                     const NamedStructs* structs) const {
  TypeContext whole = context;
  whole.enumerations = enumerations;
  whole.structs = structs;
  return struct_text(*node, name, first_lines, whole);
}

SharedStructs::SharedStructs(const model::RouteFile& file, const std::string& space,
                             SharedEnumerations& enumerations, model::NameScope& scope,
                             bool have_attributes) {
  Components components;
  for (const model::Route& route : file.routes) {
    for (const auto& location : route.validate) {
      if (location.location != "body" || !location.type.empty()) continue;
      add(components, route, "Body", location.schema, location_constant(location),
          {.decoder = decoder_of("body", location.schema), .has_attributes = have_attributes});
    }
    for (const auto& response : route.responses) {
      const auto* node = std::get_if<Node>(&response.schema);
      if (node && response.type.empty() && !response.stream)
        add(components, route, response_name(response), *node, "",
            {.is_encoded = is_encodable(*node), .has_attributes = have_attributes});
    }
  }
  std::vector<Shared> all;
  for (const Components::Named& component : components.declared_schemas()) {
    std::vector<Use> uses = uses_of(component);
    if (uses.empty()) continue;
    const Node& node = *sources_.at(uses.front()).node;
    if (uses.size() == 1 && !contained_.contains(contained_key(std::get<1>(uses.front()), node))) {
      continue;
    }
    // A shared struct must not have the name of a type within a route.
    const bool is_part = component.name == "Body" || component.name.starts_with("Response");
    const std::string name =
        scope.add(is_part ? component.name + "Type" : model::cpp_name(component.name));
    all.push_back({name, schema_of(node), std::move(uses)});
  }
  // Those within others come first.
  std::ranges::stable_sort(all, {}, [](const Shared& each) { return each.schema.size(); });
  for (const Shared& shared : all) {
    const Source& source = sources_.at(shared.uses.front());
    NamedStructs& structs = within_part(std::get<1>(shared.uses.front()));
    const TypeText text = source.text(shared.name, &enumerations, &structs);
    append_block(declarations_, text.declarations);
    append_block(definitions_, text.definitions);
    structs.add(*source.node, fmt::format("::{}::{}", space, shared.name));
    for (const Use& use : shared.uses) names_[use] = shared.name;
  }
}

std::set<std::string> SharedStructs::names() const {
  std::set<std::string> names;
  for (const auto& [use, name] : names_) names.insert(name);
  return names;
}

std::string SharedStructs::find(const model::Route& route, const std::string& part,
                                bool is_item) const {
  const auto found = names_.find({route.operation_id, part, is_item});
  return found == names_.end() ? std::string() : found->second;
}

const NamedStructs& SharedStructs::within(const std::string& part) const {
  return is_response(part) ? in_responses_ : in_bodies_;
}

NamedStructs& SharedStructs::within_part(const std::string& part) {
  return is_response(part) ? in_responses_ : in_bodies_;
}

void SharedStructs::add(Components& components, const model::Route& route, const std::string& part,
                        const Node& node, const std::string& first_lines,
                        const TypeContext& context) {
  components.declared(node, {.file = {}, .operation_id = route.operation_id, .part = part});
  const Node& item = innermost_item(node);
  sources_[{route.operation_id, part, &item != &node}] = {&item, first_lines, context};
  for (const auto& field : item.fields) find_contained(field.node, part);
}

void SharedStructs::find_contained(const Node& node, const std::string& part) {
  const Node& object = innermost_item(node);
  if (object.fields.empty()) return;
  contained_.insert(contained_key(part, object));
  for (const auto& field : object.fields) find_contained(field.node, part);
}

std::vector<SharedStructs::Use> SharedStructs::uses_of(const Components::Named& component) const {
  std::vector<Use> uses;
  std::string text;
  for (const SchemaUse& use : component.uses) {
    const Use key{use.operation_id, use.part, use.is_item};
    const auto source = sources_.find(key);
    if (source == sources_.end() || source->second.node->fields.empty()) continue;
    const std::string own = text_of(source->second.text("T"));
    if (uses.empty()) text = own;
    if (own == text) uses.push_back(key);
  }
  return uses;
}

}  // namespace fairway::emit
