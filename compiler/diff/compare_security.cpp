#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "diff/comparisons.hpp"

namespace fairway::diff {
namespace {

/// Schemes that must all be satisfied, with their scopes.
using Requirement = std::map<std::string, std::set<std::string>>;

std::string text_of(const Requirement& requirement) {
  if (requirement.empty()) return "nothing";
  std::string text;
  for (const auto& [scheme, scopes] : requirement) {
    text += fmt::format("{}'{}'", text.empty() ? "" : " and ", scheme);
    std::string list;
    for (const std::string& scope : scopes) list += (list.empty() ? "" : ", ") + scope;
    if (!list.empty()) text += fmt::format(" ({})", list);
  }
  return text;
}

std::string text_of(const std::vector<Requirement>& alternatives) {
  std::string text;
  for (const Requirement& requirement : alternatives) {
    text += (text.empty() ? "" : " or ") + text_of(requirement);
  }
  return text;
}

Node schemes_of(const Document& document) {
  return document.object(document.object(document.root(), "components"), "securitySchemes");
}

/// The definition of a scheme without its description and extensions.
Json definition(const Document& document, const Node& scheme) {
  const Node node = document.resolved(scheme);
  if (!node) return nullptr;
  Json result = *node.value;
  if (result.is_object()) result.erase("description");
  return result;
}

/// For each scheme of the new document, the name of the same scheme in the old one.
std::map<std::string, std::string> old_names(const Documents& documents) {
  std::map<std::string, std::string> names;
  const Node before = schemes_of(documents.before);
  const Node after = schemes_of(documents.after);
  if (!before || !after) return names;
  for (const auto& [name, value] : after.value->items()) {
    if (before.member(name)) continue;
    const Json described = definition(documents.after, after.member(name));
    for (const auto& [old_name, old_value] : before.value->items()) {
      if (after.member(old_name)) continue;
      if (same_value(definition(documents.before, before.member(old_name)), described)) {
        names[name] = old_name;
      }
    }
  }
  return names;
}

std::vector<Requirement> requirements(const Document& document, const Node& list,
                                      const std::map<std::string, std::string>& names) {
  std::vector<Requirement> result;
  for (std::size_t i = 0; list && i < list.value->size(); ++i) {
    const Node item = list.item(i);
    if (!item.value->is_object()) document.fail(item, "must be an object");
    Requirement requirement;
    for (const auto& [scheme, scopes] : item.value->items()) {
      const auto renamed = names.find(scheme);
      auto& own = requirement[renamed == names.end() ? scheme : renamed->second];
      for (const Json& scope : scopes) {
        if (scope.is_string()) own.insert(scope.get<std::string>());
      }
    }
    result.push_back(std::move(requirement));
  }
  if (result.empty()) result.emplace_back();
  return result;
}

/// Whether credentials that satisfy `stronger` also satisfy `weaker`.
bool implies(const Requirement& stronger, const Requirement& weaker) {
  return std::ranges::all_of(weaker, [&](const auto& entry) {
    const auto found = stronger.find(entry.first);
    return found != stronger.end() && std::ranges::includes(found->second, entry.second);
  });
}

bool is_enough(const Requirement& offered, const std::vector<Requirement>& alternatives) {
  return std::ranges::any_of(alternatives,
                             [&](const Requirement& wanted) { return implies(offered, wanted); });
}

Node security_of(const Document& document, const Node& operation) {
  const Node own = document.array(operation, "security");
  return own ? own : document.array(document.root(), "security");
}

}  // namespace

void compare_security(const Documents& documents, const Node& before, const Node& after,
                      Recorder& recorder) {
  const Node old_list = security_of(documents.before, before);
  const Node new_list = security_of(documents.after, after);
  const auto old_alternatives = requirements(documents.before, old_list, {});
  const auto new_alternatives = requirements(documents.after, new_list, old_names(documents));
  const auto all_enough = [](const auto& offered, const auto& wanted) {
    return std::ranges::all_of(
        offered, [&](const Requirement& requirement) { return is_enough(requirement, wanted); });
  };
  const Node old_node = old_list ? old_list : before;
  const Node new_node = new_list ? new_list : after;
  const std::string message =
      fmt::format("needed {}, needs {}", text_of(old_alternatives), text_of(new_alternatives));
  if (!all_enough(old_alternatives, new_alternatives)) {
    recorder.add("security-tightened", {"security", ""}, old_node, new_node, message);
  } else if (!all_enough(new_alternatives, old_alternatives)) {
    recorder.add("security-loosened", {"security", ""}, old_node, new_node, message);
  }
}

void compare_security_schemes(const Documents& documents, Recorder& recorder) {
  const Node before = schemes_of(documents.before);
  const Node after = schemes_of(documents.after);
  if (!before || !after) return;
  for (const auto& [name, value] : before.value->items()) {
    const Node old_scheme = before.member(name);
    const Node new_scheme = after.member(name);
    if (!new_scheme) continue;
    const Json was = definition(documents.before, old_scheme);
    const Json is = definition(documents.after, new_scheme);
    if (same_value(was, is)) continue;
    recorder.add("security-scheme-changed", {fmt::format("security scheme '{}'", name), ""},
                 old_scheme, new_scheme,
                 fmt::format("{} became {}", value_text(was), value_text(is)));
  }
}

}  // namespace fairway::diff
