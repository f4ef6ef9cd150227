#include "diff/schema.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "schema/json_pointer.hpp"

namespace fairway::diff {
namespace {

constexpr std::pair<std::string_view, unsigned> kTypes[] = {
    {"boolean", kBoolean}, {"integer", kInteger}, {"number", kNumber | kInteger},
    {"string", kString},   {"array", kArray},     {"object", kObject},
};

// Keywords whose larger value is the tighter one, and those whose smaller value is.
constexpr std::string_view kLowerBounds[] = {"minimum", "exclusiveMinimum", "minLength", "minItems",
                                             "minProperties"};
constexpr std::string_view kUpperBounds[] = {"maximum", "exclusiveMaximum", "maxLength", "maxItems",
                                             "maxProperties"};
constexpr std::string_view kConstraints[] = {"multipleOf",
                                             "uniqueItems",
                                             "contains",
                                             "minContains",
                                             "maxContains",
                                             "not",
                                             "if",
                                             "then",
                                             "else",
                                             "dependentRequired",
                                             "dependentSchemas",
                                             "propertyNames",
                                             "unevaluatedItems",
                                             "unevaluatedProperties",
                                             "patternProperties",
                                             "contentEncoding",
                                             "contentMediaType",
                                             "contentSchema",
                                             "xml"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
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

bool is_true(const Place& place) { return place && *place.value == true; }

/// Says no more than that a value is null.
bool is_null_schema(const Place& place) {
  const Place type = place.member("type");
  if (type && *type.value == "null") return true;
  const Place values = place.member("enum");
  if (values && *values.value == Json::array({nullptr})) return true;
  const Place constant = place.member("const");
  return constant && constant.value->is_null();
}

class Reader {
 public:
  explicit Reader(const Document& document) : document_(document) {}

  Schema read(const Conjunction& conjunction) {
    for (const Place& place : conjunction) flatten(place, false, 0);
    if (result_.never) result_.types = 0;
    return std::move(result_);
  }

 private:
  void flatten(const Place& place, bool or_null, std::size_t depth) {
    if (depth > kDeepest) {
      document_.fail(place, "the schema holds itself, or is nested too deep");
    }
    if (place.value->is_boolean()) {
      if (!*place.value) result_.never = true;
      return;
    }
    if (!place.value->is_object()) document_.fail(place, "a schema must be an object");
    if (!seen_.insert(place.value).second) return;
    if (place.member("$ref")) {
      flatten(document_.target(place), or_null, depth + 1);
    } else {
      result_.parts.push_back(place);
    }
    const Place all = document_.array(place, "allOf");
    for (std::size_t i = 0; all && i < all.value->size(); ++i) {
      flatten(all.item(i), or_null, depth + 1);
    }
    bool null_beside = or_null;
    for (const char* keyword : {"anyOf", "oneOf"}) {
      read_union(place, keyword, depth, null_beside);
    }
    read_part(place, null_beside);
  }

  void read_union(const Place& place, const char* keyword, std::size_t depth, bool& null_beside) {
    const Place list = document_.array(place, keyword);
    if (!list) return;
    Union found{list, {}, document_.object(place, "discriminator")};
    bool has_null = false;
    for (std::size_t i = 0; i < list.value->size(); ++i) {
      const Place branch = list.item(i);
      if (is_null_schema(document_.resolved(branch))) {
        has_null = true;
      } else {
        found.branches.push_back({branch});
      }
    }
    if (found.branches.size() == 1) {
      flatten(found.branches[0][0], has_null || null_beside, depth + 1);
    } else if (!found.branches.empty()) {
      // Null is as good as among the types of a schema that otherwise says nothing of them.
      if (!has_null && !any_branch_takes_null(found)) result_.nullable = false;
      result_.unions.push_back(std::move(found));
    } else if (has_null) {
      result_.types = 0;
    }
  }

  bool any_branch_takes_null(const Union& alternatives) const {
    return std::ranges::any_of(alternatives.branches, [&](const Conjunction& branch) {
      const Place target = document_.resolved(branch[0]);
      if (!target.value->is_object()) return *target.value == true;
      const Place type = target.member("type");
      if (!type)
        return !target.member("enum") && !target.member("const") && !target.member("allOf") &&
               !target.member("properties");
      return is_true(target.member("nullable")) ||
             (type.value->is_array() &&
              std::ranges::find(*type.value, Json("null")) != type.value->end());
    });
  }

  void read_part(const Place& part, bool or_null) {
    read_types(part, or_null);
    for (const auto& [name, value] : part.value->items()) {
      const Place place{&value, part.pointer + fw::schema::pointer_step(name)};
      if (contains(kLowerBounds, name) || contains(kUpperBounds, name)) {
        read_bound(part, name, place);
      } else if (contains(kConstraints, name)) {
        const bool is_nothing = value == false && (name == "uniqueItems" || name == "xml");
        if (!is_nothing) result_.constraints[name].push_back(place);
      }
    }
    if (const Place format = part.member("format"); format && format.value->is_string()) {
      result_.formats[*format.value] = format;
    }
    if (const Place pattern = part.member("pattern"); pattern && pattern.value->is_string()) {
      result_.patterns[*pattern.value] = pattern;
    }
    if (const Place constant = part.member("const")) result_.constant = constant;
    if (const Place fallback = part.member("default")) result_.fallback = fallback;
    if (is_true(part.member("deprecated"))) result_.deprecated = true;
    if (is_true(part.member("readOnly"))) result_.read_only = true;
    if (is_true(part.member("writeOnly"))) result_.write_only = true;
    read_members(part);
    read_items(part);
  }

  void read_types(const Place& part, bool or_null) {
    unsigned types = kAnyType;
    bool nullable = true;
    const Place type = part.member("type");
    const Place values = document_.array(part, "enum");
    const Place constant = part.member("const");
    if (type) {
      types = 0;
      nullable = false;
      const auto add = [&](const Json& name) {
        if (!name.is_string()) document_.fail(type, "must be the name of a type");
        if (name == "null") {
          nullable = true;
        } else if (const unsigned bit = type_bit(name.get_ref<const std::string&>()); bit != 0) {
          types |= bit;
        } else {
          document_.fail(type, "there is no type '" + name.get<std::string>() + "'");
        }
      };
      if (type.value->is_array()) {
        for (const Json& name : *type.value) add(name);
      } else {
        add(*type.value);
      }
      if (is_true(part.member("nullable"))) nullable = true;
    } else if (part.member("properties")) {
      // Meant as an object by everyone who leaves the type out.
      types = kObject;
      nullable = is_true(part.member("nullable"));
    } else if (part.member("items")) {
      types = kArray;
      nullable = is_true(part.member("nullable"));
    }
    if (values) {
      const bool lists_null = std::ranges::find(*values.value, Json()) != values.value->end();
      if (!lists_null && !is_true(part.member("nullable"))) nullable = false;
      if (!type) types = 0;
      std::vector<Json> listed;
      for (const Json& value : *values.value) {
        if (value.is_null()) continue;
        if (!type) types |= type_of(value);
        const bool is_kept =
            !result_.values || std::ranges::find(*result_.values, value) != result_.values->end();
        if (is_kept && std::ranges::find(listed, value) == listed.end()) listed.push_back(value);
      }
      result_.values = std::move(listed);
      result_.values_place = values;
    }
    if (constant) {
      if (!constant.value->is_null()) nullable = false;
      if (!type) types = type_of(*constant.value);
    }
    result_.types &= types;
    result_.nullable = result_.nullable && (nullable || or_null);
  }

  void read_bound(const Place& part, const std::string& name, const Place& place) {
    // OpenAPI 3.0 writes `exclusiveMinimum: true` beside a minimum.
    if (place.value->is_boolean()) return;
    if (!place.value->is_number()) document_.fail(place, "must be a number");
    std::string keyword = name;
    if (name == "minimum" && is_true(part.member("exclusiveMinimum"))) keyword = "exclusiveMinimum";
    if (name == "maximum" && is_true(part.member("exclusiveMaximum"))) keyword = "exclusiveMaximum";
    // No length and no count is below 0.
    const bool is_nothing = name.starts_with("min") && name != "minimum" && *place.value == 0;
    if (is_nothing) return;
    Place& tightest = result_.bounds[keyword];
    const bool is_tighter =
        !tightest || (contains(kLowerBounds, name) ? *tightest.value < *place.value
                                                   : *place.value < *tightest.value);
    if (is_tighter) tightest = place;
  }

  void read_members(const Place& part) {
    if (const Place properties = document_.object(part, "properties")) {
      for (const auto& [name, value] : properties.value->items()) {
        const Place place{&value, properties.pointer + fw::schema::pointer_step(name)};
        const auto known = std::ranges::find(result_.members, name, &Member::name);
        if (known == result_.members.end()) {
          result_.members.push_back({name, {place}});
        } else {
          known->schema.push_back(place);
        }
      }
    }
    if (const Place required = part.member("required"); required && required.value->is_array()) {
      for (std::size_t i = 0; i < required.value->size(); ++i) {
        const Place name = required.item(i);
        if (!name.value->is_string()) document_.fail(name, "must be the name of a member");
        result_.required.emplace(*name.value, name);
      }
    }
    if (const Place more = part.member("additionalProperties")) {
      if (*more.value == false) result_.forbids_more = true;
      if (more.value->is_object()) result_.additional.push_back(more);
    }
  }

  void read_items(const Place& part) {
    if (const Place items = part.member("items")) result_.items.push_back(items);
    const Place prefix = document_.array(part, "prefixItems");
    for (std::size_t i = 0; prefix && i < prefix.value->size(); ++i) {
      if (result_.prefix_items.size() <= i) result_.prefix_items.emplace_back();
      result_.prefix_items[i].push_back(prefix.item(i));
    }
  }

  const Document& document_;
  Schema result_;
  std::set<const Json*> seen_;
};

constexpr std::size_t kLongestValue = 60;

/// Not in the middle of a character.
std::string cut(std::string text) {
  if (text.size() <= kLongestValue) return text;
  std::size_t end = kLongestValue;
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

std::string Schema::type_text() const { return type_names(types, nullable); }

std::string type_names(unsigned types, bool nullable) {
  if (types == kAnyType) return "any type";
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
  // Control characters would reach the terminal.
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
