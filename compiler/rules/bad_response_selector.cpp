#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/ascii.hpp"
#include "model/value_members.hpp"
#include "options/response_selectors.hpp"
#include "rules/route_rules.hpp"

namespace fairway::rules {
namespace {

bool is_family_ending(std::string_view text) { return fw::base::equal_ignoring_case(text, "xx"); }

/// "2xx" for "2XX", otherwise empty.
std::string family_of(std::string_view text) {
  const bool is_family =
      text.size() == 3 && text[0] >= '1' && text[0] <= '5' && is_family_ending(text.substr(1));
  return is_family ? fmt::format("{}xx", text[0]) : std::string();
}

std::string help_for(std::string_view text) {
  const std::string family = family_of(text);
  if (!family.empty()) return fmt::format("write '{}'", family);
  return "write a status such as \"201\", a family such as \"2xx\", or \"default\"";
}

bool is_declared(const model::Value& responses, std::string_view selector) {
  return std::ranges::any_of(responses.items, [&](const model::Value& entry) {
    return is_named_entry(entry) && entry_name(entry) == selector;
  });
}

}  // namespace

void check_response_selectors(const model::Value& responses, Reporter& reporter) {
  std::map<std::string, model::Range> known;
  for (const model::Value& entry : responses.items) {
    if (!is_named_entry(entry)) continue;
    const std::string selector = entry_name(entry);
    const model::Range& range = entry.items[0].range;
    const auto [first, is_new] = known.emplace(selector, range);
    if (!fw::options::is_response_selector(selector)) {
      auto& error = reporter.report(rules::bad_response_selector,
                                    fmt::format("'{}' is not a response selector", selector), range,
                                    help_for(selector));
      const std::string family = family_of(selector);
      if (!family.empty() && !is_declared(responses, family)) {
        add_fix(error, entry.items[0], 0, selector.size(), family);
      }
    } else if (!is_new) {
      reporter
          .report(rules::bad_response_selector,
                  fmt::format("the selector '{}' is declared twice", selector), range,
                  "remove one of them")
          .notes.push_back({"first declared here", first->second});
    }
  }
}

}  // namespace fairway::rules
