#include "schema/kinds.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

#include "base/ascii.hpp"
#include "schema/formats.hpp"

namespace fw::schema {
namespace {

// In the order of `Kind`, so that a kind is the index.
constexpr std::array kKinds = {
    KindInfo{Kind::any, "any", "", "", "any value"},
    KindInfo{Kind::null, "null", "null", "", "null"},
    KindInfo{Kind::string, "string", "string", "", "a string", RangeOf::length},
    KindInfo{Kind::number, "number", "number", "", "a number", RangeOf::value},
    KindInfo{Kind::integer, "integer", "integer", "", "an integer", RangeOf::value},
    KindInfo{Kind::boolean, "boolean", "boolean", "", "true or false"},
    KindInfo{Kind::email, "email", "string", "email", "an e-mail address such as ann@example.com",
             RangeOf::nothing, is_email, "ann@example.com", "[a-z]{3,8}@[a-z]{3,8}.example.com", "",
             "idn-email"},
    KindInfo{Kind::url, "url", "string", "uri", "an absolute http or https URL", RangeOf::nothing,
             is_url, "https://example.com/a?b=c",
             "https://[a-z]{3,8}.example.com/[a-z]{3,8}?a=[a-z]{3,8}",
             "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]", "iri"},
    KindInfo{Kind::date, "date", "string", "date", "a date such as 2024-01-31", RangeOf::nothing,
             is_date, "2024-02-29", "20[0-3][0-7]-0[1-9]-[0-2][1-8]"},
    KindInfo{Kind::datetime, "datetime", "string", "date-time",
             "a date and time with offset such as 2024-01-31T10:20:30Z", RangeOf::nothing,
             is_datetime, "2024-01-31T10:20:30Z",
             "20[0-3][0-7]-0[1-9]-[0-2][1-8]T[01][0-9]:[0-5][0-9]:[0-5][0-9]Z"},
    // The format "time" of JSON Schema requires an offset.
    KindInfo{Kind::time, "time", "string", "", "a time such as 10:20:30", RangeOf::nothing, is_time,
             "10:20:30Z", "[01][0-9]:[0-5][0-9]:[0-5][0-9]Z",
             "^([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\\.[0-9]+)?"
             "([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?$"},
    KindInfo{Kind::uuid, "uuid", "string", "uuid",
             "a UUID such as 550e8400-e29b-41d4-a716-446655440000", RangeOf::nothing, is_uuid,
             "550e8400-e29b-41d4-a716-446655440000",
             "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}"},
    KindInfo{Kind::ipv4, "ipv4", "string", "ipv4", "an IPv4 address", RangeOf::nothing, is_ipv4,
             "192.0.2.1", "192.0.2.1[0-9]{2}"},
    KindInfo{Kind::ipv6, "ipv6", "string", "ipv6", "an IPv6 address", RangeOf::nothing, is_ipv6,
             "2001:db8::1", "2001:db8::[0-9a-f]{4}"},
    KindInfo{Kind::hostname, "hostname", "string", "hostname", "a host name", RangeOf::nothing,
             is_hostname, "example.com", "[a-z]{3,8}.example.com", "", "idn-hostname",
             true},  // a host name may be an IPv4 address or a date
    KindInfo{Kind::enumeration, "enum", "string", "", "one of the listed values"},
    KindInfo{Kind::array, "array", "array", "", "an array", RangeOf::count},
    KindInfo{Kind::object, "object", "object", "", "an object"},
    KindInfo{Kind::map, "object", "object", "", "an object"},
    KindInfo{Kind::one_of, "oneOf", "", "", "a value of one of the listed types"},
    KindInfo{Kind::reference, "reference", "", "", "a value of the type"},
};

// Those that the DSL can write.
constexpr std::span kDslKinds = std::span(kKinds).first(static_cast<std::size_t>(Kind::map));

static_assert([] {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (static_cast<std::size_t>(kKinds[i].kind) != i) return false;
    if (i < std::size(kKindNames) && kKinds[i].name != kKindNames[i]) return false;
  }
  return true;
}());

constexpr bool is_identifier(std::string_view name) {
  return base::is_letter(name.front()) &&
         std::ranges::all_of(name, [](char c) { return base::is_alphanumeric(c) || c == '_'; });
}

static_assert(
    std::ranges::all_of(kKinds,
                        [](const KindInfo& row) {
                          return row.has_format == nullptr || is_identifier(row.name);
                        }),
    "a format must be named like its enumerator, because generated code contains Kind::<name>");

}  // namespace

const KindInfo& info(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

const KindInfo* find_kind(std::string_view name) {
  const auto row = std::ranges::find(kDslKinds, name, &KindInfo::name);
  return row == kDslKinds.end() ? nullptr : &*row;
}

std::span<const KindInfo> all_kinds() { return kDslKinds; }

bool are_disjoint_formats(const KindInfo& one, const KindInfo& two) {
  return one.has_format != nullptr && two.has_format != nullptr && one.kind != two.kind &&
         !one.overlaps && !two.overlaps;
}

std::string bound_text(double bound) {
  // The longest finite double has 309 digits before the point or 1,074 after it.
  std::array<char, 1100> buffer;
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), bound, std::chars_format::fixed);
  return std::string(buffer.data(), result.ptr);
}

}  // namespace fw::schema
