// References within a JSON Schema: a `$ref` with a JSON pointer ("#/$defs/a") or an anchor ("#a").
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/url_encoding.hpp"
#include "schema/schema_visitor.hpp"

namespace fw::schema {

/// Constant if the value is.
template <class J>
using TextOf = std::conditional_t<std::is_const_v<J>, const std::string, std::string>;

/// The text of `$ref`; null if the schema has none.
template <class J>
const std::string* reference_of(const J& schema) {
  if (!schema.is_object()) return nullptr;
  const auto reference = schema.find("$ref");
  if (reference == schema.end()) return nullptr;
  return reference->template get_ptr<const std::string*>();
}

/// Calls `visit(text, pointer)` for all references in `root`: the strings of `$ref`, and the
/// strings of `discriminator.mapping` (OpenAPI) that are not names. `pointer` is the JSON pointer
/// of `root`, and then of the string.
template <class J, class Visit>
void for_each_reference(J& root, const std::string& pointer, const Visit& visit) {
  for_each_schema(root, pointer, [&](J& schema, const std::string& at) {
    if (!schema.is_object()) return;
    if (reference_of(schema) != nullptr) {
      visit(schema.find("$ref")->template get_ref<TextOf<J>&>(), at + "/$ref");
    }
    const auto discriminator = schema.find("discriminator");
    if (discriminator == schema.end() || !discriminator->is_object()) return;
    const auto mapping = discriminator->find("mapping");
    if (mapping == discriminator->end() || !mapping->is_object()) return;
    for (auto& [value, target] : mapping->items()) {
      auto* text = target.template get_ptr<TextOf<J>*>();
      if (text == nullptr || !text->starts_with('#')) continue;
      visit(*text, at + "/discriminator/mapping" + base::pointer_step(value));
    }
  });
}

/// The schemas of a JSON Schema. `root` must not change meanwhile.
template <class J>
class SchemaReferences {
 public:
  explicit SchemaReferences(const J& root) {
    for_each_schema(root, "", [&](const J& schema, const std::string& pointer) {
      schemas_.emplace(pointer, &schema);
      if (!schema.is_object()) return;
      for (const char* keyword : {"$anchor", "$dynamicAnchor"}) {
        const auto anchor = schema.find(keyword);
        if (anchor == schema.end() || !anchor->is_string()) continue;
        const bool is_new = anchors_.emplace(anchor->template get<std::string>(), pointer).second;
        if (!is_new && !repeated_anchor_) repeated_anchor_ = pointer + "/" + keyword;
      }
    });
  }

  /// The JSON pointer of an `$anchor` whose name another one has; empty if there is none.
  const std::optional<std::string>& repeated_anchor() const { return repeated_anchor_; }

  /// The JSON pointer of the schema that a reference leads to; empty if there is none.
  std::optional<std::string> pointer_of(std::string_view reference) const {
    if (!reference.starts_with('#')) return std::nullopt;
    const auto fragment = base::decode_path(reference.substr(1));
    if (!fragment) return std::nullopt;
    const auto anchor = anchors_.find(*fragment);
    const std::string& pointer = anchor == anchors_.end() ? *fragment : anchor->second;
    return schemas_.contains(pointer) ? std::optional(pointer) : std::nullopt;
  }

  /// The schema that a reference leads to; null if there is none.
  const J* find(std::string_view reference) const {
    const auto pointer = pointer_of(reference);
    return pointer ? schemas_.at(*pointer) : nullptr;
  }

  /// The JSON pointer of a `$ref` that is part of a circle in which every schema applies to the
  /// same value, so that no check of a value would end; empty if there is none.
  std::optional<std::string> find_endless_reference() const {
    std::set<std::string> finished;
    for (const auto& [pointer, schema] : schemas_) {
      std::set<std::string> entered;
      if (auto found = find_circle(pointer, "", entered, finished)) return found;
    }
    return std::nullopt;
  }

 private:
  /// Keywords whose schemas apply to the value itself.
  static constexpr std::array<std::string_view, 8> kInPlace = {
      "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"};

  /// `reference` is the last `$ref` on the way. A circle contains one, because all other ways lead
  /// deeper into the schema.
  std::optional<std::string> find_circle(const std::string& pointer, const std::string& reference,
                                         std::set<std::string>& entered,
                                         std::set<std::string>& finished) const {
    if (finished.contains(pointer)) return std::nullopt;
    if (!entered.insert(pointer).second) return reference;
    const J& schema = *schemas_.at(pointer);
    std::optional<std::string> found;
    if (const std::string* text = reference_of(schema)) {
      const auto target = pointer_of(*text);
      if (target) found = find_circle(*target, pointer + "/$ref", entered, finished);
    }
    for_each_subschema(schema, pointer, [&](const J&, const std::string& at, const auto& keyword) {
      if (found || std::ranges::find(kInPlace, keyword.name) == kInPlace.end()) return;
      found = find_circle(at, reference, entered, finished);
    });
    entered.erase(pointer);
    finished.insert(pointer);
    return found;
  }

  std::map<std::string, const J*> schemas_;     ///< by JSON pointer
  std::map<std::string, std::string> anchors_;  ///< to JSON pointers
  std::optional<std::string> repeated_anchor_;
};

}  // namespace fw::schema
