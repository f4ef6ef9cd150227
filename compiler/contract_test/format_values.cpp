#include "contract_test/format_values.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "schema/kinds.hpp"

namespace fairway::contract_test {
namespace {

using fw::schema::Kind;

std::size_t number(RandomSource& random, std::size_t min, std::size_t max) {
  return min + random.below(max - min + 1);
}

std::string word(RandomSource& random) {
  std::string result;
  for (std::size_t i = number(random, 3, 8); i > 0; --i) {
    result += "abcdefghijklmnopqrstuvwxyz"[random.below(26)];
  }
  return result;
}

std::string digits(RandomSource& random, std::size_t count) {
  std::string result;
  for (; count > 0; --count) result += "0123456789abcdef"[random.below(16)];
  return result;
}

std::string hostname(RandomSource& random) { return word(random) + ".example.com"; }

std::string email(RandomSource& random) {
  const std::string name = word(random);
  return name + "@" + hostname(random);
}

std::string url(RandomSource& random) {
  const std::string host = hostname(random);
  const std::string path = word(random);
  return "https://" + host + "/" + path + "?a=" + word(random);
}

std::string date(RandomSource& random) {
  const std::size_t year = number(random, 1970, 2037);
  const std::size_t month = number(random, 1, 12);
  return fmt::format("{:04}-{:02}-{:02}", year, month, number(random, 1, 28));
}

std::string time(RandomSource& random) {
  const std::size_t hour = number(random, 0, 23);
  const std::size_t minute = number(random, 0, 59);
  return fmt::format("{:02}:{:02}:{:02}Z", hour, minute, number(random, 0, 59));
}

std::string datetime(RandomSource& random) {
  const std::string day = date(random);
  return day + "T" + time(random);
}

std::string uuid(RandomSource& random) {
  std::string result = digits(random, 8) + "-";
  result += digits(random, 4) + "-4";
  result += digits(random, 3) + "-a";
  result += digits(random, 3) + "-";
  return result + digits(random, 12);
}

std::string ipv4(RandomSource& random) { return fmt::format("192.0.2.{}", number(random, 1, 254)); }

std::string ipv6(RandomSource& random) { return "2001:db8::" + digits(random, 4); }

struct FormatMaker {
  Kind kind;
  std::string (*make)(RandomSource&);
};

// The formats of schema/kinds.cpp.
constexpr std::array kMakers = {
    FormatMaker{Kind::email, email},       FormatMaker{Kind::url, url},
    FormatMaker{Kind::date, date},         FormatMaker{Kind::datetime, datetime},
    FormatMaker{Kind::time, time},         FormatMaker{Kind::uuid, uuid},
    FormatMaker{Kind::ipv4, ipv4},         FormatMaker{Kind::ipv6, ipv6},
    FormatMaker{Kind::hostname, hostname},
};

}  // namespace

std::optional<std::string> value_of_format(std::string_view format, std::string_view pattern,
                                           RandomSource& random) {
  for (const auto& [kind, make] : kMakers) {
    const fw::schema::KindInfo& row = fw::schema::info(kind);
    // Our documents have the pattern of a format that JSON Schema lacks or defines otherwise;
    // others have its name.
    const bool is_of_kind =
        row.json_format.empty()
            ? format == row.name || (format.empty() && pattern == row.json_pattern)
            : format == row.json_format;
    if (is_of_kind) return make(random);
  }
  return std::nullopt;
}

}  // namespace fairway::contract_test
