#include "exchange/preconditions.hpp"

#include <fmt/format.h>

#include <algorithm>

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

/// The date in a field; nothing if there is none, or none that can be read.
std::optional<std::int64_t> date_in(Exchange& exchange, std::string_view name) {
  const auto value = exchange.header(name);
  return value ? http::parse_http_date(*value) : std::nullopt;
}

}  // namespace

std::string make_entity_tag(std::string_view bytes) {
  return fmt::format("\"{:016x}\"", schema::fingerprint(bytes));
}

bool names_entity_tag(std::string_view list, std::string_view tag, TagComparison comparison) {
  if (base::trim_ows(list) == "*") return true;
  while (true) {
    const std::string_view named = take_tag(list);
    if (named.empty()) return false;
    if (matches(named, tag, comparison)) return true;
  }
}

bool has_preconditions(const Exchange& exchange) {
  const auto& fields = exchange.head.fields;
  return std::any_of(fields.begin(), fields.end(), [](const http::Field& field) {
    return base::equal_ignoring_case(field.name.substr(0, kIf.size()), kIf);
  });
}

Precondition evaluate_preconditions(Exchange& exchange, const Validators& validators) {
  const auto& [tag, last_modified] = validators;
  if (const auto wanted = exchange.header("if-match")) {
    if (!names_entity_tag(*wanted, tag, TagComparison::strong)) return Precondition::failed;
  } else if (const auto since = date_in(exchange, "if-unmodified-since"); since && last_modified) {
    if (*last_modified > *since) return Precondition::failed;
  }
  if (const auto known = exchange.header("if-none-match")) {
    const bool is_known = names_entity_tag(*known, tag, TagComparison::weak);
    return is_known ? Precondition::not_modified : Precondition::met;
  }
  if (const auto since = date_in(exchange, "if-modified-since"); since && last_modified) {
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
