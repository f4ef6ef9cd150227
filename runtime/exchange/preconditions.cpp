#include "exchange/preconditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.hpp"
#include "exchange/exchange.hpp"
#include "http/http_date.hpp"
#include "schema/fingerprint.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kWeak = "W/";
constexpr std::string_view kIf = "if-";

std::string_view without_weakness(std::string_view tag) {
  if (tag.starts_with(kWeak)) tag.remove_prefix(kWeak.size());
  return tag;
}

bool matches(std::string_view a, std::string_view b, TagComparison comparison) {
  if (comparison == TagComparison::weak) return without_weakness(a) == without_weakness(b);
  return a == b && !a.starts_with(kWeak);
}

/// Takes the first entity tag off a list; empty at its end, and where it is malformed.
std::string_view take_tag(std::string_view& list) {
  const auto begin = list.find_first_not_of(" \t,");
  if (begin == std::string_view::npos) return {};
  list.remove_prefix(begin);
  const auto quote = list.starts_with(kWeak) ? kWeak.size() : 0;
  if (quote >= list.size() || list[quote] != '"') return {};
  const auto end = list.find('"', quote + 1);  // a tag may contain a comma
  if (end == std::string_view::npos) return {};
  const std::string_view tag = list.substr(0, end + 1);
  list.remove_prefix(tag.size());
  return tag;
}

bool is_condition(std::string_view name) {
  return base::equal_ignoring_case(name.substr(0, kIf.size()), kIf);
}

/// The fields that `evaluate_preconditions` takes into account.
struct Conditions {
  std::optional<std::string_view> match = {};
  std::optional<std::string_view> none_match = {};
  std::optional<std::string_view> unmodified_since = {};
  std::optional<std::string_view> modified_since = {};
};

constexpr std::pair<std::string_view, std::optional<std::string_view> Conditions::*> kConditions[] =
    {{"if-match", &Conditions::match},
     {"if-none-match", &Conditions::none_match},
     {"if-unmodified-since", &Conditions::unmodified_since},
     {"if-modified-since", &Conditions::modified_since}};

Conditions conditions_of(Exchange& exchange) {
  Conditions conditions;
  for (const auto& [name, value] : exchange.head.fields) {
    if (!is_condition(name)) continue;
    for (const auto& [known, member] : kConditions) {
      if (!base::equal_ignoring_case(name, known)) continue;
      // Repeated fields are joined.
      conditions.*member = conditions.*member ? exchange.header(known) : value;
      break;
    }
  }
  return conditions;
}

/// The date in a field; nothing if there is none, or none that can be read.
std::optional<std::int64_t> date_in(std::optional<std::string_view> field) {
  return field ? http::parse_http_date(*field) : std::nullopt;
}

}  // namespace

std::string make_entity_tag(std::string_view bytes) {
  return fmt::format("\"{:016x}\"", schema::fingerprint(bytes));
}

bool names_entity_tag(std::string_view list, std::string_view tag, TagComparison comparison) {
  list = base::trim_ows(list);
  if (list.size() == 1 && list.front() == '*') return true;
  while (true) {
    const std::string_view named = take_tag(list);
    if (named.empty()) return false;
    if (matches(named, tag, comparison)) return true;
  }
}

bool has_preconditions(const Exchange& exchange) {
  const auto& fields = exchange.head.fields;
  return std::any_of(fields.begin(), fields.end(),
                     [](const http::Field& field) { return is_condition(field.name); });
}

Precondition evaluate_preconditions(Exchange& exchange, const Validators& validators) {
  const auto& [tag, last_modified] = validators;
  const Conditions conditions = conditions_of(exchange);
  if (conditions.match) {
    if (!names_entity_tag(*conditions.match, tag, TagComparison::strong)) {
      return Precondition::failed;
    }
  } else if (const auto since = date_in(conditions.unmodified_since); since && last_modified) {
    if (*last_modified > *since) return Precondition::failed;
  }
  if (conditions.none_match) {
    const bool is_known = names_entity_tag(*conditions.none_match, tag, TagComparison::weak);
    return is_known ? Precondition::not_modified : Precondition::met;
  }
  if (const auto since = date_in(conditions.modified_since); since && last_modified) {
    if (*last_modified <= *since) return Precondition::not_modified;
  }
  return Precondition::met;
}

bool allows_range(Exchange& exchange, const Validators& validators) {
  const auto condition = exchange.header("if-range");
  if (!condition) return true;
  const std::string_view value = base::trim_ows(*condition);
  if (value.ends_with('"')) return matches(value, validators.entity_tag, TagComparison::strong);
  const auto date = http::parse_http_date(value);
  return date && date == validators.last_modified;
}

}  // namespace fw::detail
