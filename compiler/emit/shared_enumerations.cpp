#include "emit/shared_enumerations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "emit/source_parts.hpp"

namespace fairway::emit {

std::vector<std::string> enumerators_of(const std::vector<std::string>& values) {
  model::NameScope scope({});
  return model::distinct_cpp_names(values, scope);
}

std::string enumeration_text(const std::vector<std::string>& values, const std::string& name,
                             bool is_in_struct, bool has_attribute) {
  const std::vector<std::string> names = enumerators_of(values);
  std::string cases;
  for (std::size_t i = 0; i < names.size(); ++i) {
    cases += fmt::format("case {}::{}:\n  return {};\n", name, names[i], string_literal(values[i]));
  }
  return fill(
      R"(
enum class $attribute$$name$ { $enumerators$ };
$kind$constexpr std::string_view to_string($name$ fw_value) {
  switch (fw_value) {
    $cases$
  }
  return {};
}
$kind$void to_json(fw::Json& fw_json, $name$ fw_value);
$kind$void from_json(const fw::Json& fw_json, $name$& fw_value);
)",
      {{"attribute",
        has_attribute ? schema_attribute({{"type", "string"}, {"enum", values}}) : std::string()},
       {"name", name},
       {"kind", is_in_struct ? "friend " : ""},
       {"enumerators", fmt::format("{}", fmt::join(names, ", "))},
       {"cases", cases}});
}

std::string enumeration_conversions(const std::vector<std::string>& values, const std::string& name,
                                    const std::string& enclosing) {
  const std::string type = enclosing.empty() ? name : enclosing + "::" + name;
  std::string all;
  for (const std::string& each : enumerators_of(values)) {
    all += fmt::format("{}{}::{}", all.empty() ? "" : ", ", type, each);
  }
  return fill(R"(
void to_json(fw::Json& fw_json, $type$ fw_value) {
  fw_json = std::string(to_string(fw_value));
}
void from_json(const fw::Json& fw_json, $type$& fw_value) {
  const auto& fw_text = fw_json.get_ref<const std::string&>();
  for (const $type$ fw_each : {$all$}) {
    if (fw_text == to_string(fw_each)) {
      fw_value = fw_each;
      return;
    }
  }
  throw std::invalid_argument("'" + fw_text + "' is not a value of $name$");
}
)",
              {{"type", type}, {"name", name}, {"all", all}});
}

std::string SharedEnumerations::use(const std::string& wish, const std::vector<std::string>& values,
                                    const std::string& enclosing) {
  auto found = std::ranges::find_if(enumerations_, [&](const Enumeration& each) {
    return each.wish == wish && each.values == values;
  });
  if (found == enumerations_.end()) {
    enumerations_.push_back({wish, values});
    found = std::prev(enumerations_.end());
  }
  if (std::ranges::find(found->structs, enclosing) == found->structs.end()) {
    found->structs.push_back(enclosing);
  }
  return found->name.empty() ? std::string() : fmt::format("::{}::{}", space_, found->name);
}

void SharedEnumerations::declare(model::NameScope& scope) {
  const auto is_shared = [](const Enumeration& each) { return each.structs.size() > 1; };
  for (Enumeration& each : enumerations_) {
    if (!is_shared(each)) continue;
    // A name must not depend on the order of two enumerations with different values.
    const bool is_unique = std::ranges::count_if(enumerations_, [&](const Enumeration& other) {
                             return is_shared(other) && other.wish == each.wish;
                           }) == 1;
    std::string prefix = is_unique ? std::string() : each.structs.front();
    std::erase(prefix, ':');
    each.name = scope.add(prefix + each.wish);
  }
}

std::string SharedEnumerations::declarations(bool have_attributes) const {
  std::string text;
  for (const Enumeration& each : enumerations_) {
    if (each.name.empty()) continue;
    append_block(text, enumeration_text(each.values, each.name, false, have_attributes));
  }
  return text;
}

std::string SharedEnumerations::definitions() const {
  std::string text;
  for (const Enumeration& each : enumerations_) {
    if (!each.name.empty()) append_block(text, enumeration_conversions(each.values, each.name, ""));
  }
  return text;
}

std::set<std::string> SharedEnumerations::names() const {
  std::set<std::string> names;
  for (const Enumeration& each : enumerations_) {
    if (!each.name.empty()) names.insert(each.name);
  }
  return names;
}

}  // namespace fairway::emit
