// Dates and times of std::chrono (RFC 3339).
#include <fairway/generated/calendar.hpp>
#include <fairway/json_writer.hpp>

#include <array>
#include <stdexcept>

#include "base/ascii.hpp"
#include "schema/formats.hpp"

namespace fw::detail {
namespace {

namespace chrono = std::chrono;

constexpr std::int64_t kSecondsOfDay = 86'400;
constexpr std::size_t kDateLength = 10;  // 2024-01-31
constexpr std::size_t kClockLength = 8;  // 10:20:30
constexpr int kNanosecondDigits = 9;

std::int64_t number_at(std::string_view text, std::size_t offset, std::size_t count) {
  std::int64_t value = 0;
  for (const char digit : text.substr(offset, count)) value = value * 10 + (digit - '0');
  return value;
}

std::int64_t days_of(std::string_view date) {
  const chrono::year_month_day day(chrono::year(static_cast<int>(number_at(date, 0, 4))),
                                   chrono::month(static_cast<unsigned>(number_at(date, 5, 2))),
                                   chrono::day(static_cast<unsigned>(number_at(date, 8, 2))));
  return chrono::sys_days(day).time_since_epoch().count();
}

/// Whether a day is in the years 0 to 9999, which have a form in JSON.
bool has_form(std::int64_t days) { return days >= -719'528 && days <= 2'932'896; }

/// Writes that many decimal digits, with zeros in front, and returns their end.
char* put_digits(char* out, std::int64_t value, std::size_t count) {
  for (std::size_t at = count; at-- > 0; value /= 10) {
    out[at] = static_cast<char>('0' + value % 10);
  }
  return out + count;
}

/// Appends "2024-01-31" to a string literal that has begun.
void write_day(JsonWriter& out, std::int64_t days) {
  if (!has_form(days)) {
    throw std::invalid_argument("a date or time in JSON must be in the years 0 to 9999");
  }
  const chrono::year_month_day day{chrono::sys_days(chrono::days(days))};
  std::array<char, kDateLength> text;
  char* end = put_digits(text.data(), static_cast<int>(day.year()), 4);
  *end++ = '-';
  end = put_digits(end, static_cast<unsigned>(day.month()), 2);
  *end++ = '-';
  put_digits(end, static_cast<unsigned>(day.day()), 2);
  out.put(std::string_view(text.data(), text.size()));
}

}  // namespace

std::optional<std::int64_t> parse_date(std::string_view text) {
  if (!schema::is_date(text)) return std::nullopt;
  return days_of(text);
}

std::optional<Instant> parse_datetime(std::string_view text) {
  if (!schema::is_datetime(text)) return std::nullopt;
  Instant instant{days_of(text) * kSecondsOfDay, 0};
  text.remove_prefix(kDateLength + 1);
  instant.seconds +=
      number_at(text, 0, 2) * 3600 + number_at(text, 3, 2) * 60 + number_at(text, 6, 2);
  text.remove_prefix(kClockLength);
  if (text.front() == '.') {
    text.remove_prefix(1);
    int digits = 0;
    for (; base::is_digit(text.front()); text.remove_prefix(1)) {
      if (digits == kNanosecondDigits) continue;
      instant.nanoseconds = instant.nanoseconds * 10 + (text.front() - '0');
      ++digits;
    }
    for (; digits < kNanosecondDigits; ++digits) instant.nanoseconds *= 10;
  }
  if (text.front() == '+' || text.front() == '-') {
    const std::int64_t offset = number_at(text, 1, 2) * 3600 + number_at(text, 4, 2) * 60;
    instant.seconds += text.front() == '+' ? -offset : offset;
  }
  // An offset may lead to another year, in which it could not be written.
  const auto days = chrono::floor<chrono::days>(chrono::seconds(instant.seconds));
  return has_form(days.count()) ? std::optional(instant) : std::nullopt;
}

void write_date(JsonWriter& out, std::int64_t days) {
  out.put('"');
  write_day(out, days);
  out.put('"');
}

void write_datetime(JsonWriter& out, std::int64_t seconds, std::int64_t fraction, unsigned digits) {
  const chrono::seconds since_epoch(seconds);
  const auto days =
      chrono::floor<chrono::duration<std::int64_t, chrono::days::period>>(since_epoch);
  const chrono::seconds time = since_epoch - days;
  out.put('"');
  write_day(out, days.count());
  std::array<char, 32> text;
  char* end = text.data();
  *end++ = 'T';
  end = put_digits(end, time.count() / 3600, 2);
  *end++ = ':';
  end = put_digits(end, time.count() / 60 % 60, 2);
  *end++ = ':';
  end = put_digits(end, time.count() % 60, 2);
  if (digits > 0) {
    *end++ = '.';
    end = put_digits(end, fraction, digits);
  }
  out.put(std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
  out.put("Z\"");
}

}  // namespace fw::detail
