#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

#include "base/json_text.hpp"
#include "contract_test/valid_values.hpp"

namespace fairway::contract_test {
namespace {

/// A longer string or array would only take time.
constexpr std::size_t kMaxLength = 100'000;
constexpr const char* kUndeclared = "fairwayUndeclared";

std::set<std::string> types_of(const Json& schema) {
  std::set<std::string> types;
  const auto type = schema.find("type");
  if (type == schema.end()) return types;
  if (type->is_string()) types.insert(type->get<std::string>());
  if (type->is_array()) types = type->get<std::set<std::string>>();
  if (schema.value("nullable", false)) types.insert("null");
  return types;
}

class Collector {
 public:
  Collector(const SchemaChecker& checker, const Json& schema, const Json& valid, Source source)
      : checker_(checker), schema_(schema), valid_(valid), source_(source) {}

  std::vector<InvalidValue> collect() {
    visit(schema_, valid_, "");
    return std::move(found_);
  }

 private:
  void visit(const Json& unresolved, const Json& part, const std::string& pointer) {
    const Json& schema = checker_.resolved(unresolved);
    if (!schema.is_object()) return;
    visit_alternatives(schema, part, pointer);
    add_wrong_types(schema, pointer);
    add_wrong_values(schema, pointer);
    if (part.is_number()) add_wrong_numbers(schema, part, pointer);
    if (part.is_string()) add_wrong_strings(schema, pointer);
    if (part.is_array()) visit_array(schema, part, pointer);
    if (part.is_object()) visit_object(schema, part, pointer);
  }

  /// The alternatives that the part matches.
  void visit_alternatives(const Json& schema, const Json& part, const std::string& pointer) {
    for (const char* keyword : {"anyOf", "oneOf"}) {
      const auto alternatives = schema.find(keyword);
      if (alternatives == schema.end()) continue;
      for (const Json& alternative : *alternatives) {
        if (!checker_.check(part, alternative)) visit(alternative, part, pointer);
      }
    }
  }

  /// Unless the value matches nevertheless, because of an alternative for example.
  void add(Json whole, const std::string& pointer, std::string error) {
    if (checker_.check(whole, schema_)) {
      found_.push_back({std::move(whole), pointer, std::move(error)});
    }
  }

  void replace(const std::string& pointer, Json part, std::string error) {
    Json whole = valid_;
    whole[Json::json_pointer(pointer)] = std::move(part);
    add(std::move(whole), pointer, std::move(error));
  }

  void add_wrong_types(const Json& schema, const std::string& pointer) {
    const std::set<std::string> types = types_of(schema);
    if (types.empty()) return;
    if (source_ == Source::text) {
      if (!types.contains("string")) replace(pointer, "wrong", "is not of the declared type");
      return;
    }
    const bool is_array = types.contains("array");
    if (!is_array || !types.contains("object")) {
      replace(pointer, is_array ? Json::object() : Json::array(), "is not of the declared type");
    }
    if (!types.contains("null")) replace(pointer, nullptr, "is null");
  }

  void add_wrong_values(const Json& schema, const std::string& pointer) {
    if (schema.contains("enum") || schema.contains("const")) {
      replace(pointer, "fairway-undeclared", "is not one of the declared values");
    }
  }

  void add_wrong_numbers(const Json& schema, const Json& part, const std::string& pointer) {
    const std::set<std::string> types = types_of(schema);
    if (types.contains("integer") && !types.contains("number")) {
      replace(pointer, part.get<double>() + 0.5, "is not an integer");
    }
    const auto step_beyond = [](const Json& bound, int step) {
      const bool is_whole = bound.is_number_integer();
      return is_whole ? Json(bound.get<std::int64_t>() + step) : Json(bound.get<double>() + step);
    };
    for (const char* keyword : {"minimum", "exclusiveMinimum"}) {
      const auto bound = schema.find(keyword);
      if (bound != schema.end() && bound->is_number()) {
        replace(pointer, step_beyond(*bound, -1), "is less than its minimum");
      }
    }
    for (const char* keyword : {"maximum", "exclusiveMaximum"}) {
      const auto bound = schema.find(keyword);
      if (bound != schema.end() && bound->is_number()) {
        replace(pointer, step_beyond(*bound, 1), "is more than its maximum");
      }
    }
  }

  void add_wrong_strings(const Json& schema, const std::string& pointer) {
    if (schema.contains("format") || schema.contains("pattern")) {
      replace(pointer, "fairway undeclared", "does not have the declared format");
    }
    const auto least = schema.value("minLength", std::size_t{0});
    if (least > 0) {
      replace(pointer, std::string(least - 1, 'x'), "is shorter than its minimum length");
    }
    const auto most = schema.value("maxLength", kMaxLength);
    if (most < kMaxLength) {
      replace(pointer, std::string(most + 1, 'x'), "is longer than its maximum length");
    }
  }

  void visit_array(const Json& schema, const Json& part, const std::string& pointer) {
    const auto least = schema.value("minItems", std::size_t{0});
    if (least > 0 && least <= part.size()) {
      Json shorter = part;
      shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(least - 1), shorter.end());
      replace(pointer, std::move(shorter), "has fewer items than its minimum");
    }
    const auto most = schema.value("maxItems", kMaxLength);
    if (most < kMaxLength && !part.empty()) {
      Json longer = part;
      while (longer.size() <= most) longer.push_back(part.back());
      replace(pointer, std::move(longer), "has more items than its maximum");
    }
    if (schema.value("uniqueItems", false) && !part.empty()) {
      Json repeated = part;
      repeated.push_back(part.front());
      replace(pointer, std::move(repeated), "has equal items");
    }
    const auto items = schema.find("items");
    if (items != schema.end() && !part.empty() && !schema.contains("prefixItems")) {
      visit(*items, part.front(), pointer + "/0");
    }
  }

  void visit_object(const Json& schema, const Json& part, const std::string& pointer) {
    for (const Json& name : schema.value("required", Json::array())) {
      const auto& member = name.get_ref<const std::string&>();
      Json whole = valid_;
      Json& object = whole[Json::json_pointer(pointer)];
      if (object.erase(member) == 0) continue;
      add(std::move(whole), pointer + fw::base::pointer_step(member), "is missing");
    }
    if (schema.value("additionalProperties", Json(true)) == Json(false)) {
      const std::string member = pointer + fw::base::pointer_step(kUndeclared);
      replace(member, 1, "is not declared");
    }
    const Json properties = schema.value("properties", Json::object());
    for (const auto& [name, member] : properties.items()) {
      const auto value = part.find(name);
      if (value != part.end()) visit(member, *value, pointer + fw::base::pointer_step(name));
    }
    const Json others = schema.value("additionalProperties", Json());
    if (!others.is_object()) return;
    for (const auto& [name, value] : part.items()) {
      if (properties.contains(name)) continue;
      visit(others, value, pointer + fw::base::pointer_step(name));
      break;  // each one has the same schema
    }
  }

  const SchemaChecker& checker_;
  const Json& schema_;
  const Json& valid_;
  const Source source_;
  std::vector<InvalidValue> found_;
};

}  // namespace

std::vector<InvalidValue> invalid_values(const SchemaChecker& checker, const Json& schema,
                                         const Json& valid, Source source) {
  return Collector(checker, schema, valid, source).collect();
}

}  // namespace fairway::contract_test
