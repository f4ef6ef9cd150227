// Converts nodes to DSL strings.
#include "schema/kinds.hpp"

namespace fw::schema {
namespace {

void append_range(std::string& text, const Node& node) {
  if (!node.min && !node.max) return;
  text += ':';
  if (node.min && node.min == node.max) {
    // A single negative number would read as an upper bound: "-5" is "at most 5".
    text += bound_text(*node.min);
    if (*node.min < 0) text += '-' + bound_text(*node.max);
    return;
  }
  if (node.min) text += bound_text(*node.min);
  text += '-';
  if (node.max) text += bound_text(*node.max);
}

void append_type(std::string& text, const Node& node) {
  text += info(node.kind).name;
  if (node.kind == Kind::enumeration) {
    char separator = ':';
    for (const std::string& value : node.values) {
      text += separator;
      text += value;
      separator = ',';
    }
    return;
  }
  if (node.kind == Kind::array && node.items) {
    text += '<';
    append_type(text, *node.items);
    text += '>';
  }
  append_range(text, node);
  if (!node.pattern.empty()) {
    text += node.min || node.max ? "/" : ":/";
    text += node.pattern + '/';
  }
}

void append_default(std::string& text, const nlohmann::json& value) {
  text += '=';
  text += value.is_string() ? value.get_ref<const std::string&>() : value.dump();
}

}  // namespace

std::string to_dsl(const Node& node) {
  std::string text;
  append_type(text, node);
  if (node.default_value) {
    append_default(text, *node.default_value);
  } else if (!node.required) {
    text += '?';
  } else if (node.kind == Kind::enumeration && !node.values.empty() &&
             node.values.back().find('=') != std::string::npos) {
    text += '!';  // without it, the sign would begin a default
  }
  return text;
}

}  // namespace fw::schema
