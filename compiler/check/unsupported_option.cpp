#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "check/members.hpp"
#include "check/route_rules.hpp"
#include "schema/unsupported_options.hpp"

namespace fairway::check {
namespace {

using model::Value;

bool is_empty(const Value& value) {
  switch (value.kind) {
    case Value::Kind::null:
      return true;
    case Value::Kind::boolean:
      return !value.boolean;
    case Value::Kind::string:
      return value.text.empty();
    case Value::Kind::list:
      return value.items.empty();
    default:
      return false;
  }
}

// An aggregate sets nothing if it is disabled or none of its members has a value.
bool is_configured(const Value& record) {
  if (!flag_member(record, "enabled").value_or(true)) return false;
  return !std::ranges::all_of(record.members,
                              [](const model::Member& member) { return is_empty(member.value); });
}

struct Row {
  std::string_view name;
  bool (*asks)(const Value&);
};

constexpr Row kRows[] = {
    {"frontend", is_configured},
};
static_assert(fw::schema::names_unsupported_options(kRows));

}  // namespace

void check_supported_options(const Value& options, Reporter& reporter) {
  for (const Row& row : kRows) {
    const model::Member* member = find_member(options, row.name);
    if (!member || !row.asks(member->value)) continue;
    reporter.report(rules::unsupported_option,
                    fmt::format("'{}' is not implemented in this version", row.name),
                    member->name_range, "remove it");
  }
}

}  // namespace fairway::check
