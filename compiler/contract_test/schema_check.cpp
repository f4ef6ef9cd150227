#include "contract_test/schema_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ranges>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/counted.hpp"
#include "base/json_text.hpp"
#include "base/utf8.hpp"
#include "diff/schema.hpp"
#include "schema/kinds.hpp"
#include "schema/output_schema.hpp"
#include "schema/pattern.hpp"

namespace fairway::contract_test {
namespace {

/// Every reference to a schema is one level.
constexpr int kMaxSchemaDepth = 600;

bool has_type(const Json& value, const std::string& type) {
  if (type == "integer") return fw::schema::is_whole(value);
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  return type == "null" && value.is_null();
}

std::string with_article(const std::string& type) {
  if (type == "null") return type;
  const bool begins_with_vowel = std::string_view("aeiou").find(type[0]) != std::string_view::npos;
  return (begins_with_vowel ? "an " : "a ") + type;
}

std::string description_of(const Json& value) {
  if (value.is_null()) return "null";
  const std::string text = diff::value_text(value);
  if (value.is_string()) return "the string " + text;
  if (value.is_array()) return "the array " + text;
  return value.is_object() ? "the object " + text : text;
}

long double number_of(const Json& value) {
  if (value.is_number_unsigned()) return static_cast<long double>(value.get<std::uint64_t>());
  if (value.is_number_integer()) return static_cast<long double>(value.get<std::int64_t>());
  return static_cast<long double>(value.get<double>());
}

/// The value of a keyword; null, which has no items or members, if it is absent.
const Json& keyword(const Json& schema, const char* name) {
  static const Json nothing;
  const auto found = schema.find(name);
  return found == schema.end() ? nothing : *found;
}

/// One check; keeps the place in the value.
class ValueCheck {
 public:
  explicit ValueCheck(const SchemaChecker& checker) : checker_(checker) {}

  bool matches(const Json& value, const Json& schema, int depth) {
    if (depth > kMaxSchemaDepth) return true;
    if (schema.is_object() && schema.contains("$ref")) {  // other keywords apply too
      if (!matches(value, checker_.target(schema), depth + 1)) return false;
      if (schema.size() == 1) return true;
    }
    if (schema.is_boolean()) {
      return schema.get<bool>() || fail("no value", description_of(value));
    }
    if (!schema.is_object()) return true;
    return check_type(value, schema) && check_values(value, schema) &&
           check_branches(value, schema, depth) && check_by_type(value, schema, depth);
  }

  const Mismatch& mismatch() const { return mismatch_; }

 private:
  bool fail(std::string expected, std::string found) {
    mismatch_ = {pointer_, std::move(expected), std::move(found)};
    return false;
  }

  /// Whether a part of the value matches.
  bool part_matches(const std::string& step, const Json& value, const Json& schema, int depth) {
    const std::size_t size = pointer_.size();
    pointer_ += fw::base::pointer_step(step);
    const bool result = matches(value, schema, depth + 1);
    pointer_.resize(size);
    return result;
  }

  bool check_type(const Json& value, const Json& schema) {
    const auto type = schema.find("type");
    if (type == schema.end() || (value.is_null() && schema.value("nullable", false))) return true;
    std::vector<std::string> types;
    if (type->is_string()) types = {type->get<std::string>()};
    if (type->is_array()) types = type->get<std::vector<std::string>>();
    if (std::ranges::any_of(types, [&](const auto& each) { return has_type(value, each); })) {
      return true;
    }
    std::ranges::transform(types, types.begin(), with_article);
    return fail(fmt::format("{}", fmt::join(types, " or ")), description_of(value));
  }

  bool check_values(const Json& value, const Json& schema) {
    const auto constant = schema.find("const");
    if (constant != schema.end() && !diff::same_value(value, *constant)) {
      return fail(diff::value_text(*constant), description_of(value));
    }
    const auto values = schema.find("enum");
    if (values == schema.end() || !values->is_array()) return true;
    const auto is_same = [&](const Json& each) { return diff::same_value(value, each); };
    if (std::ranges::any_of(*values, is_same)) return true;
    return fail("one of " + diff::list_text({values->begin(), values->end()}),
                description_of(value));
  }

  bool check_branches(const Json& value, const Json& schema, int depth) {
    const auto member = [&](const char* name) -> const Json* {
      const auto found = schema.find(name);
      return found == schema.end() ? nullptr : &*found;
    };
    if (const Json* all = member("allOf")) {
      for (const Json& part : *all) {
        if (!matches(value, part, depth + 1)) return false;
      }
    }
    if (const Json* any = member("anyOf")) {
      if (count_matching(value, *any, depth) == 0) return fail_branches(value, *any);
    }
    if (const Json* one = member("oneOf")) {
      const std::size_t count = count_matching(value, *one, depth);
      if (count == 0) return fail_branches(value, *one);
      if (count > 1) return fail("a match with exactly one schema of 'oneOf'", "several matches");
    }
    if (const Json* excluded = member("not")) {
      if (quietly_matches(value, *excluded, depth)) {
        return fail("a value that does not match the schema of 'not'", description_of(value));
      }
    }
    if (const Json* condition = member("if")) {
      const Json* branch = member(quietly_matches(value, *condition, depth) ? "then" : "else");
      if (branch != nullptr && !matches(value, *branch, depth + 1)) return false;
    }
    return true;
  }

  bool quietly_matches(const Json& value, const Json& schema, int depth) {
    ValueCheck other(checker_);
    return other.matches(value, schema, depth + 1);
  }

  std::size_t count_matching(const Json& value, const Json& schemas, int depth) {
    return static_cast<std::size_t>(std::ranges::count_if(
        schemas, [&](const Json& schema) { return matches(value, schema, depth + 1); }));
  }

  /// One branch explains more than "no schema matches".
  bool fail_branches(const Json& value, const Json& schemas) {
    return schemas.size() == 1 ? false
                               : fail("a match with one of several schemas", description_of(value));
  }

  bool check_by_type(const Json& value, const Json& schema, int depth) {
    if (value.is_string()) return check_string(value.get_ref<const std::string&>(), schema);
    if (value.is_number()) return check_number(value, schema);
    if (value.is_array()) return check_array(value, schema, depth);
    return !value.is_object() || check_object(value, schema, depth);
  }

  /// `size` against the two bounds, which count `noun`.
  bool check_size(const Json& schema, std::size_t size, const char* lower, const char* upper,
                  std::string_view noun) {
    const auto least = schema.find(lower);
    if (least != schema.end() && number_of(*least) > static_cast<long double>(size)) {
      return fail("at least " + counted(*least, noun), fw::base::counted(size, noun));
    }
    const auto most = schema.find(upper);
    if (most != schema.end() && number_of(*most) < static_cast<long double>(size)) {
      return fail("at most " + counted(*most, noun), fw::base::counted(size, noun));
    }
    return true;
  }

  static std::string counted(const Json& bound, std::string_view noun) {
    return fw::base::counted(static_cast<std::size_t>(number_of(bound)), noun);
  }

  bool check_string(const std::string& text, const Json& schema) {
    if (!check_size(schema, fw::base::count_code_points(text).count, "minLength", "maxLength",
                    "character")) {
      return false;
    }
    const auto format = schema.find("format");
    if (format != schema.end() && format->is_string() &&
        !has_format(format->get<std::string>(), text)) {
      return fail(fmt::format("the format '{}'", format->get<std::string>()), description_of(text));
    }
    const auto pattern = schema.find("pattern");
    if (pattern == schema.end() || !pattern->is_string()) return true;
    return matches_pattern(pattern->get<std::string>(), text) ||
           fail(fmt::format("a match of the pattern '{}'", pattern->get<std::string>()),
                description_of(text));
  }

  bool check_number(const Json& value, const Json& schema) {
    const long double number = number_of(value);
    const auto bound = [&](const char* keyword) -> const Json* {
      const auto found = schema.find(keyword);
      return found == schema.end() || !found->is_number() ? nullptr : &*found;
    };
    const auto is_true = [&](const char* keyword) {  // as in OpenAPI 3.0
      const auto found = schema.find(keyword);
      return found != schema.end() && *found == true;
    };
    if (const Json* least = bound("minimum")) {
      const bool is_exclusive = is_true("exclusiveMinimum");
      if (number < number_of(*least) || (is_exclusive && number == number_of(*least))) {
        return fail((is_exclusive ? "more than " : "at least ") + least->dump(), value.dump());
      }
    }
    if (const Json* most = bound("maximum")) {
      const bool is_exclusive = is_true("exclusiveMaximum");
      if (number > number_of(*most) || (is_exclusive && number == number_of(*most))) {
        return fail((is_exclusive ? "less than " : "at most ") + most->dump(), value.dump());
      }
    }
    if (const Json* least = bound("exclusiveMinimum"); least && number <= number_of(*least)) {
      return fail("more than " + least->dump(), value.dump());
    }
    if (const Json* most = bound("exclusiveMaximum"); most && number >= number_of(*most)) {
      return fail("less than " + most->dump(), value.dump());
    }
    if (const Json* factor = bound("multipleOf"); factor && number_of(*factor) > 0) {
      const long double quotient = number / number_of(*factor);
      if (std::fabs(quotient - std::round(quotient)) > 1e-9L) {
        return fail("a multiple of " + factor->dump(), value.dump());
      }
    }
    return true;
  }

  bool check_array(const Json& value, const Json& schema, int depth) {
    if (!check_size(schema, value.size(), "minItems", "maxItems", "item")) return false;
    const Json& prefix = keyword(schema, "prefixItems");
    const auto items = schema.find("items");
    for (std::size_t i = 0; i < value.size(); ++i) {
      const Json* item = i < prefix.size() ? &prefix[i] : items == schema.end() ? nullptr : &*items;
      if (item && !part_matches(std::to_string(i), value[i], *item, depth)) return false;
    }
    if (schema.value("uniqueItems", false)) {
      for (std::size_t i = 1; i < value.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if (diff::same_value(value[i], value[j])) {
            return fail("items that differ", fmt::format("the same items {} and {}", j, i));
          }
        }
      }
    }
    const auto contained = schema.find("contains");
    if (contained == schema.end()) return true;
    const auto count = static_cast<std::size_t>(std::ranges::count_if(
        value, [&](const Json& item) { return quietly_matches(item, *contained, depth); }));
    return (count >= schema.value("minContains", std::size_t{1}) &&
            count <= schema.value("maxContains", value.size())) ||
           fail("items as 'contains' requires", fmt::format("{} of them", count));
  }

  bool check_object(const Json& value, const Json& schema, int depth) {
    if (!check_size(schema, value.size(), "minProperties", "maxProperties", "member")) return false;
    for (const Json& name : keyword(schema, "required")) {
      if (!value.contains(name.get_ref<const std::string&>())) {
        return fail(fmt::format("the member '{}'", name.get<std::string>()),
                    "an object without it");
      }
    }
    const Json& dependent = keyword(schema, "dependentRequired");
    for (const auto& [name, others] : dependent.items()) {
      for (const Json& other : others) {
        if (value.contains(name) && !value.contains(other.get_ref<const std::string&>())) {
          return fail(
              fmt::format("the member '{}', because there is '{}'", other.get<std::string>(), name),
              "an object without it");
        }
      }
    }
    const Json& dependents = keyword(schema, "dependentSchemas");
    for (const auto& [name, part] : dependents.items()) {
      if (value.contains(name) && !matches(value, part, depth + 1)) return false;
    }
    for (const auto& [name, member] : value.items()) {
      if (!check_member(name, member, schema, depth)) return false;
    }
    return true;
  }

  bool check_member(const std::string& name, const Json& member, const Json& schema, int depth) {
    const auto names = schema.find("propertyNames");
    if (names != schema.end() && !quietly_matches(Json(name), *names, depth)) {
      return fail("names of members that match 'propertyNames'", fmt::format("'{}'", name));
    }
    bool is_declared = false;
    const auto properties = schema.find("properties");
    if (properties != schema.end() && properties->contains(name)) {
      is_declared = true;
      if (!part_matches(name, member, (*properties)[name], depth)) return false;
    }
    const Json& patterns = keyword(schema, "patternProperties");
    for (const auto& [pattern, part] : patterns.items()) {
      if (!matches_pattern(pattern, name)) continue;
      is_declared = true;
      if (!part_matches(name, member, part, depth)) return false;
    }
    const auto additional = schema.find("additionalProperties");
    if (is_declared || additional == schema.end()) return true;
    if (*additional == false) {
      return fail("no members that are not declared", fmt::format("the member '{}'", name));
    }
    return part_matches(name, member, *additional, depth);
  }

  const SchemaChecker& checker_;
  std::string pointer_;
  Mismatch mismatch_;
};

}  // namespace

std::string Mismatch::text() const {
  return fmt::format("{}expected {}, found {}", pointer.empty() ? "" : pointer + ": ", expected,
                     found);
}

std::optional<Mismatch> SchemaChecker::check(const Json& value, const Json& schema) const {
  ValueCheck check(*this);
  if (check.matches(value, schema, 0)) return std::nullopt;
  return check.mismatch();
}

const Json& SchemaChecker::target(const Json& schema) const {
  return *document_.target({&schema, ""}).value;
}

const Json& SchemaChecker::resolved(const Json& schema) const {
  if (!schema.is_object() || !schema.contains("$ref")) return schema;
  return *document_.resolved({&schema, ""}).value;
}

bool has_format(const std::string& format, const std::string& text) {
  const auto kinds = fw::schema::all_kinds();
  const auto kind =
      std::ranges::find(kinds, std::string_view(format), &fw::schema::KindInfo::json_format);
  return kind == kinds.end() || kind->has_format == nullptr || kind->has_format(text);
}

bool matches_pattern(const std::string& pattern, const std::string& text) {
  try {
    return fw::schema::Pattern(pattern).matches(text);
  } catch (const std::invalid_argument&) {
    return true;
  }
}

}  // namespace fairway::contract_test
