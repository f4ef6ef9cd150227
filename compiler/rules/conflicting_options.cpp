// The constraints are in options/option_constraints.cpp; their source ranges are found here.
#include <cstdlib>
#include <string>

#include "model/value_members.hpp"
#include "options/option_constraints.hpp"
#include "resolve/resolve.hpp"
#include "rules/route_rules.hpp"

namespace fairway::rules {
namespace {

using fw::options::OptionLocation;
using model::Value;

/// A value in the options, and the name of the member or entry that has it.
struct Found {
  const Value* value;
  model::Range name_range;
};

Found find(const Value& options, const OptionLocation& location) {
  Found found{&options, options.range};
  for (const std::string& step : location.path) {
    if (const model::Member* member = find_member(*found.value, step)) {
      found = {&member->value, member->name_range};
    } else if (const Value* entry = resolve::named_entry(*found.value, step)) {
      found = {&entry->items[1], entry->items[0].range};
    } else {
      const std::size_t index = std::strtoul(step.c_str(), nullptr, 10);
      const Value& item = found.value->items.at(index);
      found = {&item, item.range};
    }
  }
  return found;
}

model::Range range_of(const Value& options, const OptionLocation& location) {
  const Found found = find(options, location);
  return location.is_name ? found.name_range : found.value->range;
}

}  // namespace

void report_violations(const std::vector<fw::options::Violation>& violations, const Rule& rule,
                       const Value& options, Reporter& reporter) {
  for (const fw::options::Violation& violation : violations) {
    model::Diagnostic& error = reporter.report(
        rule, violation.message, range_of(options, violation.location), violation.help);
    if (violation.other) {
      error.notes.push_back({violation.note, range_of(options, *violation.other)});
    }
    if (violation.correction.empty()) continue;
    const Value& text = *find(options, violation.location).value;
    add_fix(error, text, 0, text.text.size(), violation.correction);
  }
}

void check_option_constraints(const Value& options, const model::Route& route,
                              const std::vector<std::string>& parameters, Reporter& reporter) {
  report_violations(fw::options::violations(route.options, route.method, parameters),
                    rules::conflicting_options, options, reporter);
}

}  // namespace fairway::rules
