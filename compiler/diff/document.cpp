#include "diff/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/json_text.hpp"
#include "base/parse_number.hpp"
#include "base/url_encoding.hpp"
#include "model/openapi_document.hpp"
#include "schema/openapi_names.hpp"
#include "schema/schema_visitor.hpp"

namespace fairway::diff {
namespace {

Node step_into(const Node& node, const std::string& name) {
  if (!node.value->is_array()) return node.member(name);
  const auto index = fw::base::parse_number<std::size_t>(name);
  return index ? node.item(*index) : Node();
}

}  // namespace

std::string_view level_name(Level level) {
  switch (level) {
    case Level::breaking:
      return "breaking";
    case Level::non_breaking:
      return "non-breaking";
    case Level::documentation:
      break;
  }
  return "documentation";
}

bool same_value(const Json& one, const Json& other) {
  if (!one.is_structured() || one.type() != other.type()) return one == other;
  if (one.size() != other.size()) return false;
  if (one.is_array()) {
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (!same_value(one[i], other[i])) return false;
    }
    return true;
  }
  for (const auto& [name, value] : one.items()) {
    const auto found = other.find(name);
    if (found == other.end() || !same_value(value, *found)) return false;
  }
  return true;
}

Node Node::member(std::string_view name) const {
  if (value == nullptr || !value->is_object()) return {};
  const auto found = value->find(name);
  return found == value->end() ? Node() : Node{&*found, pointer + fw::base::pointer_step(name)};
}

Node Node::item(std::size_t index) const {
  if (value == nullptr || !value->is_array() || index >= value->size()) return {};
  return {&(*value)[index], fmt::format("{}/{}", pointer, index)};
}

Document::Document(std::string name, Json root, Source source)
    : name_(std::move(name)), root_(std::move(root)), source_(source) {
  model::for_each_document_schema(root_, [&](const Json& whole, const std::string& pointer) {
    fw::schema::for_each_schema(whole, pointer, [&](const Json& schema, const std::string& at) {
      const Node node{&schema, at};
      for (const char* keyword : {"$anchor", "$dynamicAnchor"}) {
        const Node anchor = node.member(keyword);
        if (anchor && anchor.value->is_string()) anchors_.emplace(*anchor.value, node);
      }
      if (!node.member("$id")) return;
      fw::schema::for_each_schema(
          schema, at, [&](const Json& part, const std::string&) { rebased_.insert(&part); });
    });
  });
}

void Document::fail(const Node& node, std::string_view what) const {
  throw BadDocument(
      fmt::format("{}: {}: {}", name_, node.pointer.empty() ? "the document" : node.pointer, what));
}

Node Document::object(const Node& parent, std::string_view name) const {
  Node node = parent.member(name);
  if (node && !node.value->is_object()) fail(node, "must be an object");
  return node;
}

Node Document::array(const Node& parent, std::string_view name) const {
  Node node = parent.member(name);
  if (node && !node.value->is_array()) fail(node, "must be an array");
  return node;
}

Node Document::target(const Node& node) const {
  const Node reference = node.member("$ref");
  if (!reference) return node;
  if (!reference.value->is_string()) fail(reference, "must be a string");
  const auto& text = reference.value->get_ref<const std::string&>();
  if (!text.starts_with('#')) {
    fail(reference,
         fmt::format("'{}' is in another file: bundle the document into one file first", text));
  }
  if (rebased_.contains(node.value)) {
    fail(reference, fmt::format("'{}' is relative to an '$id': use references to the document, and "
                                "remove the '$id'",
                                text));
  }
  // A URI fragment: "%7Bid%7D" means "{id}".
  const std::string path = fw::base::decode_path(text.substr(1)).value_or(text.substr(1));
  const auto anchor = anchors_.find(path);
  Node found = anchor == anchors_.end() ? root() : anchor->second;
  if (anchor == anchors_.end() && !path.empty()) {
    if (path[0] != '/') found = {};
    for (const std::string& step : model::pointer_steps(std::string_view(path).substr(1))) {
      if (!found) break;
      found = step_into(found, step);
    }
  }
  if (!found) fail(reference, fmt::format("there is no '{}' in the document", text));
  return found;
}

Node Document::resolved(Node node) const {
  std::set<const Json*> seen;
  while (node.member("$ref")) {
    if (!seen.insert(node.value).second) fail(node, "the reference is circular");
    node = target(node);
  }
  return node;
}

std::vector<OperationNode> operations_in(const Document& document, const Node& item) {
  constexpr std::array<std::string_view, 6> kOthers = {
      "$ref", "summary", "description", "servers", "parameters", "additionalOperations"};
  std::vector<OperationNode> operations;
  for (const std::string_view method : fw::schema::kOperationMembers) {
    const Node node = document.object(item, method);
    if (node) operations.push_back({model::method_of(method), node});
  }
  if (const Node additional = document.object(item, "additionalOperations")) {
    for (const auto& [method, value] : additional.value->items()) {
      operations.push_back({method, document.object(additional, method)});
    }
  }
  for (const auto& [name, value] : item.value->items()) {
    const bool is_known = name.starts_with("x-") || fw::schema::is_operation_member(name) ||
                          std::ranges::find(kOthers, name) != kOthers.end();
    if (!is_known) document.fail(item.member(name), "is not a member of a path item");
  }
  return operations;
}

}  // namespace fairway::diff
