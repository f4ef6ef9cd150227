#include "rules/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/suggest.hpp"
#include "model/source_rules.hpp"
#include "model/type_rules.hpp"
#include "rules/application_rules.hpp"
#include "rules/lints.hpp"
#include "rules/route_rules.hpp"
#include "rules/settings_rules.hpp"

namespace fairway::rules {

using model::Rule;

std::span<const Rule> catalogue() {
  static const std::vector<Rule> rules = [] {
    std::vector<Rule> all(std::begin(model::rules::kSourceRules),
                          std::end(model::rules::kSourceRules));
    all.insert(all.end(), std::begin(model::rules::kTypeRules), std::end(model::rules::kTypeRules));
    all.insert(all.end(), std::begin(rules::kRouteRules), std::end(rules::kRouteRules));
    all.insert(all.end(), std::begin(rules::kApplicationRules), std::end(rules::kApplicationRules));
    all.insert(all.end(), std::begin(kSettingsRules), std::end(kSettingsRules));
    std::ranges::transform(kLints, std::back_inserter(all), &Lint::rule);
    return all;
  }();
  return rules;
}

std::string_view current_id(std::string_view id) {
  return id == "header-not-in-cache-key" ? rules::undeclared_cache_dependency.id : id;
}

const Rule* find_rule(std::string_view id) {
  const auto rules = catalogue();
  const auto found = std::ranges::find(rules, current_id(id), &Rule::id);
  return found == rules.end() ? nullptr : &*found;
}

std::string explanation_of(const Rule& rule) {
  std::string text = fmt::format("{} ({})\n\n{}\n\n{}\n", rule.id, name_of(rule.severity),
                                 rule.rule, rule.explanation);
  if (!rule.example.empty()) text += fmt::format("\nExample:\n\n{}\n", rule.example);
  return text;
}

std::string near_rule(std::string_view id) {
  std::vector<std::string_view> ids;
  for (const Rule& each : catalogue()) ids.push_back(each.id);
  return fw::base::did_you_mean(id, ids);
}

bool is_lint(std::string_view id) {
  const Rule* rule = find_rule(id);
  return rule && rule->severity == model::Severity::warning;
}

}  // namespace fairway::rules
