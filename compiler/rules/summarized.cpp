#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "rules/catalogue.hpp"
#include "rules/lints.hpp"

namespace fairway::rules {
namespace {

std::string_view summary_of(const model::Diagnostic& diagnostic) {
  const model::Rule* const rule = find_rule(diagnostic.id);
  const bool is_summarized = rule != nullptr && diagnostic.severity == model::Severity::warning;
  return is_summarized ? rule->summary : std::string_view();
}

}  // namespace

model::Diagnostics summarized(const model::Diagnostics& diagnostics) {
  std::map<std::pair<std::string, std::string>, std::size_t> counts;
  for (const model::Diagnostic& each : diagnostics) ++counts[{each.range.file, each.id}];
  model::Diagnostics result;
  for (const model::Diagnostic& each : diagnostics) {
    const std::string_view summary = summary_of(each);
    std::size_t& count = counts[{each.range.file, each.id}];
    if (summary.empty() || count == 1) {
      result.push_back(each);
    } else if (count > 1) {
      model::Diagnostic whole;
      whole.id = each.id;
      whole.severity = each.severity;
      whole.message = fmt::format("{} routes {}", count, summary);
      whole.range.file = each.range.file;
      result.push_back(std::move(whole));
      count = 0;
    }
  }
  return result;
}

}  // namespace fairway::rules
