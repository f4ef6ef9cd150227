#include "diff/schema.hpp"

#include <algorithm>
#include <ranges>
#include <regex>
#include <utility>

#include "base/json_text.hpp"
#include "schema/schema_keywords.hpp"

namespace fairway::diff {
namespace {

constexpr std::pair<std::string_view, unsigned> kTypes[] = {
    {"boolean", kBoolean}, {"integer", kInteger}, {"number", kNumber | kInteger},
    {"string", kString},   {"array", kArray},     {"object", kObject},
};

using fw::schema::KeywordEffect;

KeywordEffect effect_of(std::string_view keyword) {
  if (keyword == "xml") return KeywordEffect::restricts;  // of OpenAPI
  const auto* found = fw::schema::find_schema_keyword(keyword);
  return found == nullptr ? KeywordEffect::nothing : found->effect;
}

unsigned type_bit(std::string_view name) {
  const auto* found =
      std::ranges::find(kTypes, name, &std::pair<std::string_view, unsigned>::first);
  return found == std::end(kTypes) ? 0 : found->second;
}

unsigned type_of(const Json& value) {
  if (value.is_boolean()) return kBoolean;
  if (value.is_number_integer()) return kInteger;
  if (value.is_number()) return kNumber | kInteger;
  if (value.is_string()) return kString;
  if (value.is_array()) return kArray;
  return value.is_object() ? static_cast<unsigned>(kObject) : 0;
}

/// Whether a schema accepts only null.
bool is_null_schema(const Node& node) {
  const Node type = node.member("type");
  if (type && *type.value == "null") return true;
  const Node values = node.member("enum");
  if (values && *values.value == Json::array({nullptr})) return true;
  const Node constant = node.member("const");
  return constant && constant.value->is_null();
}

class Reader {
 public:
  explicit Reader(const Document& document) : document_(document) {}

  Schema read(const Conjunction& conjunction) {
    for (const Node& node : conjunction) {
      flatten(node, 0);
      result_.nullable = result_.nullable && accepts_null(node, 0);
    }
    // As OpenAPI 3.0 writes the type null: a nullable type with null as its only value.
    if (result_.values && result_.values->empty() && result_.nullable) {
      result_.types = 0;
      result_.values.reset();
      result_.constant = {};
    }
    if (result_.never) result_.types = 0;
    read_unevaluated(conjunction);
    apply_additional();
    return std::move(result_);
  }

 private:
  void flatten(const Node& node, std::size_t depth) {
    if (depth > kMaxDepth) {
      document_.fail(node, "the schema contains itself, or is nested too deep");
    }
    if (node.value->is_boolean()) {
      if (!*node.value) result_.never = true;
      result_.parts.push_back(node);
      return;
    }
    if (!node.value->is_object()) document_.fail(node, "a schema must be an object");
    if (!seen_.insert(node.value).second) return;
    const bool is_reference = static_cast<bool>(node.member("$ref"));
    if (is_reference) flatten(document_.target(node), depth + 1);
    // A `$ref` without other keywords is equivalent to its target.
    if (!is_reference || node.value->size() > 1) result_.parts.push_back(node);
    const Node all = document_.array(node, "allOf");
    for (std::size_t i = 0; all && i < all.value->size(); ++i) flatten(all.item(i), depth + 1);
    bool has_union = false;
    for (const char* keyword : {"anyOf", "oneOf"}) {
      has_union = read_union(node, keyword, depth) || has_union;
    }
    const Node discriminator = document_.object(node, "discriminator");
    if (discriminator && !has_union) result_.discriminator = discriminator;
    read_part(node);
  }

  /// Whether there are several alternatives.
  bool read_union(const Node& node, const std::string& keyword, std::size_t depth) {
    const Node list = document_.array(node, keyword);
    if (!list) return false;
    Union found{list, {}, document_.object(node, "discriminator"), keyword == "oneOf"};
    for (std::size_t i = 0; i < list.value->size(); ++i) {
      const Node branch = list.item(i);
      if (!is_null_schema(document_.resolved(branch))) found.branches.push_back({branch});
    }
    if (found.branches.size() == 1) {
      flatten(found.branches[0][0], depth + 1);
      return false;
    }
    if (found.branches.empty()) {
      if (!list.value->empty()) result_.types = 0;
      return false;
    }
    result_.unions.push_back(std::move(found));
    return true;
  }

  /// Considers only the keywords that affect null. An enum with `nullable: true` is assumed to
  /// include null, as its authors usually intend.
  bool accepts_null(const Node& node, std::size_t depth) {
    if (depth > kMaxDepth) {
      document_.fail(node, "the schema contains itself, or is nested too deep");
    }
    if (!node.value->is_object()) return *node.value == true;
    if (const auto known = accepts_null_.find(node.value); known != accepts_null_.end()) {
      return known->second;
    }
    accepts_null_[node.value] = true;  // a recursive reference does not exclude null
    const bool is_nullable = is_true(node.member("nullable"));
    const auto accepts = [&](const Node& schema) { return accepts_null(schema, depth + 1); };
    const auto count = [&](const Node& list) {
      std::size_t result = 0;
      for (std::size_t i = 0; i < list.value->size(); ++i)
        result += accepts(list.item(i)) ? 1U : 0U;
      return result;
    };
    bool result = true;
    if (const Node type = node.member("type")) {
      const bool lists_null = type.value->is_array() ? lists(type, "null") : *type.value == "null";
      result = lists_null || is_nullable;
    } else if (node.member("properties") || node.member("items")) {
      result = is_nullable;
    }
    if (const Node values = node.member("enum"); values && !is_nullable) {
      result = result && lists(values, nullptr);
    }
    if (const Node constant = node.member("const"); constant && !constant.value->is_null()) {
      result = false;
    }
    if (node.member("$ref")) result = result && accepts(document_.target(node));
    if (const Node all = node.member("allOf")) result = result && count(all) == all.value->size();
    if (const Node any = node.member("anyOf")) result = result && count(any) > 0;
    if (const Node one = node.member("oneOf")) result = result && count(one) == 1;
    if (const Node other = node.member("not")) result = result && !accepts(other);
    if (const Node condition = node.member("if")) {
      const Node branch = node.member(accepts(condition) ? "then" : "else");
      result = result && (!branch || accepts(branch));
    }
    return accepts_null_[node.value] = result;
  }

  static bool lists(const Node& list, const Json& value) {
    return std::ranges::find(*list.value, value) != list.value->end();
  }

  void read_part(const Node& part) {
    read_types(part);
    for (const auto& [name, value] : part.value->items()) {
      const Node node{&value, part.pointer + fw::base::pointer_step(name)};
      const KeywordEffect effect = effect_of(name);
      if (effect == KeywordEffect::lower_bound || effect == KeywordEffect::upper_bound) {
        read_bound(part, name, node);
      } else if (effect == KeywordEffect::restricts && restricts(name, part)) {
        result_.constraints.push_back({name, node, part});
      }
    }
    if (const Node format = part.member("format"); format && format.value->is_string()) {
      result_.formats[*format.value] = format;
    }
    if (const auto [name, node] = format_of_content(part); node) {
      result_.formats.emplace(name, node);
    }
    if (const Node pattern = part.member("pattern"); pattern && pattern.value->is_string()) {
      result_.patterns[*pattern.value] = pattern;
    }
    if (const Node fallback = part.member("default")) result_.fallback = fallback;
    if (is_true(part.member("deprecated"))) result_.deprecated = true;
    if (is_true(part.member("readOnly"))) result_.read_only = true;
    if (is_true(part.member("writeOnly"))) result_.write_only = true;
    read_members(part);
    read_items(part);
  }

  /// The formats of OpenAPI 3.0 that later versions write as content: `byte` and `binary`.
  static std::pair<const char*, Node> format_of_content(const Node& part) {
    const Node encoding = part.member("contentEncoding");
    if (encoding && *encoding.value == "base64") return {"byte", encoding};
    const Node type = part.member("contentMediaType");
    if (!encoding && type && *type.value == "application/octet-stream") return {"binary", type};
    return {};
  }

  /// Whether a constraint can reject any value.
  static bool restricts(std::string_view keyword, const Node& part) {
    const Node value = part.member(keyword);
    if (keyword == "contentEncoding") return *value.value != "base64";
    // Base64 of any bytes says nothing about them.
    if (keyword == "contentMediaType") return *value.value != "application/octet-stream";
    if (keyword == "uniqueItems" || keyword == "xml") return *value.value != false;
    if (keyword == "if") return part.member("then") || part.member("else");
    if (keyword == "contains") {
      const Node least = part.member("minContains");
      return !least || *least.value != 0 || part.member("maxContains");
    }
    return true;
  }

  void read_types(const Node& part) {
    unsigned types = kAnyType;
    const Node type = part.member("type");
    if (type) {
      types = 0;
      const auto add = [&](const Json& name) {
        if (!name.is_string()) document_.fail(type, "must be the name of a type");
        if (name == "null") return;
        const unsigned bit = type_bit(name.get_ref<const std::string&>());
        if (bit == 0) document_.fail(type, "there is no type '" + name.get<std::string>() + "'");
        types |= bit;
      };
      if (type.value->is_array()) {
        for (const Json& name : *type.value) add(name);
      } else {
        add(*type.value);
      }
    } else if (part.member("properties")) {
      // A schema with members but without a type is usually meant as an object.
      types = kObject;
    } else if (part.member("items")) {
      types = kArray;
    }
    if (const Node values = document_.array(part, "enum")) {
      read_values(*values.value, values, types, static_cast<bool>(type));
    }
    if (const Node constant = part.member("const")) {
      result_.constant = constant;
      read_values(Json::array({*constant.value}), constant, types, static_cast<bool>(type));
    }
    result_.types &= types;
  }

  void read_values(const Json& list, const Node& node, unsigned& types, bool has_type) {
    std::vector<Json> listed;
    unsigned found = 0;
    for (const Json& value : list) {
      if (value.is_null()) continue;
      found |= type_of(value);
      const bool is_kept =
          !result_.values || std::ranges::any_of(*result_.values, [&](const Json& other) {
            return same_value(value, other);
          });
      if (is_kept && std::ranges::find(listed, value) == listed.end()) listed.push_back(value);
    }
    if (!has_type) types &= found;
    result_.values = std::move(listed);
    result_.values_node = node;
  }

  void read_bound(const Node& part, const std::string& name, const Node& node) {
    // In OpenAPI 3.0, `exclusiveMinimum` is a boolean that modifies `minimum`.
    if (node.value->is_boolean()) return;
    if (!node.value->is_number()) document_.fail(node, "must be a number");
    std::string keyword = name;
    if (name == "minimum" && is_true(part.member("exclusiveMinimum"))) keyword = "exclusiveMinimum";
    if (name == "maximum" && is_true(part.member("exclusiveMaximum"))) keyword = "exclusiveMaximum";
    // Lengths and counts are never below 0.
    const bool has_effect = !name.starts_with("min") || name == "minimum" || *node.value != 0;
    if (!has_effect) return;
    Node& tightest = result_.bounds[keyword];
    const bool is_tighter = !tightest || (effect_of(name) == KeywordEffect::lower_bound
                                              ? *tightest.value < *node.value
                                              : *node.value < *tightest.value);
    if (is_tighter) tightest = node;
  }

  void read_members(const Node& part) {
    if (const Node properties = document_.object(part, "properties")) {
      for (const auto& [name, value] : properties.value->items()) {
        const Node node{&value, properties.pointer + fw::base::pointer_step(name)};
        const auto known = std::ranges::find(result_.members, name, &Member::name);
        if (known == result_.members.end()) {
          result_.members.push_back({name, {node}});
        } else {
          known->schema.push_back(node);
        }
      }
    }
    if (const Node required = part.member("required"); required && required.value->is_array()) {
      for (std::size_t i = 0; i < required.value->size(); ++i) {
        const Node name = required.item(i);
        if (!name.value->is_string()) document_.fail(name, "must be the name of a member");
        result_.required.emplace(*name.value, name);
      }
    }
    if (const Node more = part.member("additionalProperties")) {
      read_additional(more);
      closed_.push_back({part, more});
    }
  }

  void read_additional(const Node& more) {
    if (*more.value == false) result_.forbids_more = true;
    if (more.value->is_object()) result_.additional.push_back(more);
  }

  /// `additionalProperties` of one part also applies to the members that only other parts declare.
  void apply_additional() {
    for (const auto& [part, more] : closed_) {
      for (Member& member : result_.members) {
        const bool is_declared =
            part.member("properties").member(member.name) || matches_pattern(part, member.name);
        if (!is_declared) member.schema.push_back(more);
      }
    }
  }

  static bool matches_pattern(const Node& part, const std::string& name) {
    const Node patterns = part.member("patternProperties");
    if (!patterns || !patterns.value->is_object()) return false;
    for (const auto& [pattern, schema] : patterns.value->items()) {
      try {
        if (std::regex_search(name, std::regex(pattern, std::regex::ECMAScript))) return true;
      } catch (const std::regex_error&) {
        continue;
      }
    }
    return false;
  }

  /// Without alternatives and conditions, `unevaluatedProperties` and `unevaluatedItems` of a whole
  /// schema are equivalent to `additionalProperties` and `items`. Others remain constraints.
  void read_unevaluated(const Conjunction& conjunction) {
    if (conjunction.size() != 1 || !result_.unions.empty()) return;
    for (const char* keyword : {"if", "dependentSchemas", "contains", "patternProperties"}) {
      if (result_.has_constraint(keyword)) return;
    }
    // The target of a reference does not take into account the keywords beside the reference.
    const auto refers = [](const Node& part) { return static_cast<bool>(part.member("$ref")); };
    if (result_.parts.empty() || std::ranges::any_of(result_.parts, refers)) return;
    const Node whole = result_.parts.front();
    if (const Node more = whole.member("unevaluatedProperties"); more && closed_.empty()) {
      read_additional(more);
      remove_constraint(more);
    }
    if (const Node items = whole.member("unevaluatedItems"); items && !has_items_) {
      result_.items.push_back(items);
      remove_constraint(items);
    }
  }

  void remove_constraint(const Node& node) {
    std::erase_if(result_.constraints, [&](const Constraint& constraint) {
      return constraint.node.value == node.value;
    });
  }

  /// `items` of one part applies to the items that only other parts have in `prefixItems`.
  void read_items(const Node& part) {
    const Node items = part.member("items");
    const Node prefix = document_.array(part, "prefixItems");
    const std::size_t own = prefix ? prefix.value->size() : 0;
    while (result_.prefix_items.size() < own) result_.prefix_items.push_back(result_.items);
    for (std::size_t i = 0; i < result_.prefix_items.size(); ++i) {
      const Node item = i < own ? prefix.item(i) : items;
      if (item) result_.prefix_items[i].push_back(item);
    }
    if (!items) return;
    result_.items.push_back(items);
    has_items_ = true;
  }

  const Document& document_;
  Schema result_;
  std::set<const Json*> seen_;
  std::map<const Json*, bool> accepts_null_;
  std::vector<std::pair<Node, Node>> closed_;  ///< parts, each with its `additionalProperties`
  bool has_items_ = false;
};

constexpr std::size_t kMaxValue = 60;

/// Cuts a long string, but not within a character.
std::string cut(std::string text) {
  if (text.size() <= kMaxValue) return text;
  std::size_t end = kMaxValue;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

}  // namespace

Schema read_schema(const Document& document, const Conjunction& conjunction) {
  return Reader(document).read(conjunction);
}

const Member* Schema::find_member(std::string_view name) const {
  const auto found = std::ranges::find(members, name, &Member::name);
  return found == members.end() ? nullptr : &*found;
}

bool Schema::has_constraint(std::string_view keyword) const {
  return std::ranges::find(constraints, keyword, &Constraint::keyword) != constraints.end();
}

bool Schema::accepts_all_but_null() const {
  return types == kAnyType && !values && bounds.empty() && formats.empty() && patterns.empty() &&
         members.empty() && required.empty() && !forbids_more && additional.empty() &&
         items.empty() && prefix_items.empty() && unions.empty() && constraints.empty();
}

std::string Schema::type_text() const { return type_names(types, nullable); }

std::string type_names(unsigned types, bool nullable) {
  if (types == kAnyType) return nullable ? "any type" : "any type except 'null'";
  std::string text;
  const auto add = [&](std::string_view name) {
    if (!text.empty()) text += " or ";
    text.append("'").append(name).append("'");
  };
  for (const auto& [name, bits] : kTypes) {
    const bool is_part_of_number = bits == kInteger && (types & kNumber) != 0;
    if ((types & bits) == bits && !is_part_of_number) add(name);
  }
  if (nullable) add("null");
  return text.empty() ? "no value" : text;
}

std::string value_text(const Json& value) {
  // Control characters must not reach the terminal.
  if (value.is_string()) {
    std::string quoted = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return "'" + cut(quoted.substr(1, quoted.size() - 2)) + "'";
  }
  return cut(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string list_text(const std::vector<Json>& values) {
  std::string text;
  for (const Json& value : values) text += (text.empty() ? "" : ", ") + value_text(value);
  return text.empty() ? "nothing" : text;
}

}  // namespace fairway::diff
