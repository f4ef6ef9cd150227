#include "diff/document.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/json_text.hpp"
#include "emit/openapi.hpp"

namespace fairway::diff {
namespace {

/// A reference is a URI fragment: "%7Bid%7D" means "{id}".
std::string percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char* digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      result += static_cast<char>(value);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

Node step_into(const Node& node, const std::string& name) {
  if (!node.value->is_array()) return node.member(name);
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  return error == std::errc() && end == name.data() + name.size() ? node.item(index) : Node();
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
    : name_(std::move(name)), root_(std::move(root)), source_(source) {}

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
  const std::string path = percent_decoded(std::string_view(text).substr(1));
  Node found = root();
  if (!path.empty() && path[0] != '/') found = {};
  if (!path.empty() && found) {
    for (const std::string& step : emit::pointer_steps(std::string_view(path).substr(1))) {
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

}  // namespace fairway::diff
