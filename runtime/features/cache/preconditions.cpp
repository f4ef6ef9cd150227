#include "features/cache/preconditions.hpp"

#include "base/ascii.hpp"
#include "base/base64url.hpp"
#include "crypto/digests.hpp"
#include "exchange/exchange.hpp"
#include "http/http_date.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kWeak = "W/";
constexpr std::string_view kIfMatch = "if-match";
constexpr std::string_view kIfNoneMatch = "if-none-match";
constexpr std::string_view kIfUnmodifiedSince = "if-unmodified-since";
constexpr std::string_view kIfModifiedSince = "if-modified-since";

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
std::optional<std::int64_t> date_in(std::optional<std::string_view> field) {
  return field ? http::parse_http_date(*field) : std::nullopt;
}

}  // namespace

std::string make_entity_tag(std::string_view bytes) {
  // Clients may influence the bytes. With a hash for which collisions can be computed, a client
  // could make two versions that share their tag, and caches would keep the first one.
  constexpr std::size_t kSize = 16;
  const crypto::Digest digest = crypto::sha256(bytes);
  return '"' + base::encode_base64url({digest.data(), kSize}) + '"';
}

bool is_entity_tag(std::string_view text) {
  const std::string_view opaque = without_weakness(text);
  return opaque.size() >= 2 && opaque.front() == '"' && opaque.find('"', 1) == opaque.size() - 1;
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

bool Preconditions::is_single_if_none_match(const http::Fields& request, std::string_view tag) {
  if (request.find(kIfMatch) || request.find(kIfUnmodifiedSince)) return false;
  const std::size_t index = request.index_of(kIfNoneMatch);
  return index < request.size() && request[index].value == tag &&
         (index + 1 == request.size() ||
          request.index_of(kIfNoneMatch, index + 1) == request.size());
}

bool Preconditions::may_be_in(const http::Fields& request) {
  return request.may_have(kIfMatch, kIfNoneMatch, kIfUnmodifiedSince, kIfModifiedSince);
}

Preconditions::Preconditions(Exchange& exchange)
    : match_(exchange.header(kIfMatch)),
      none_match_(exchange.header(kIfNoneMatch)),
      unmodified_since_(exchange.header(kIfUnmodifiedSince)),
      modified_since_(exchange.header(kIfModifiedSince)) {}

Precondition Preconditions::evaluate(const Validators& validators) const {
  const auto& [tag, last_modified] = validators;
  if (match_) {
    if (!names_entity_tag(*match_, tag, TagComparison::strong)) return Precondition::failed;
  } else if (const auto since = date_in(unmodified_since_); since && last_modified) {
    if (*last_modified > *since) return Precondition::failed;
  }
  if (none_match_) {
    const bool is_known = names_entity_tag(*none_match_, tag, TagComparison::weak);
    return is_known ? Precondition::not_modified : Precondition::met;
  }
  if (const auto since = date_in(modified_since_); since && last_modified) {
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
