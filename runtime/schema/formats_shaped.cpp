// Dates and times (RFC 3339), and UUIDs (RFC 9562), the formats with a fixed length.
#include <cstddef>

#include "base/ascii.hpp"
#include "schema/formats.hpp"

namespace fw::schema {
namespace {

// '0' in the shape matches a digit, and other characters match themselves.
bool has_shape(std::string_view text, std::string_view shape) {
  if (text.size() != shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == '0' ? !base::is_digit(text[i]) : text[i] != shape[i]) return false;
  }
  return true;
}

int digits_at(std::string_view text, std::size_t offset, std::size_t count) {
  int value = 0;
  for (const char digit : text.substr(offset, count)) value = value * 10 + (digit - '0');
  return value;
}

int days_of_month(int year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[month - 1];
}

enum class Offset { optional, required };

bool is_time_of_day(std::string_view text, Offset offset) {
  constexpr std::size_t kClockLength = 8;  // 10:20:30
  if (!has_shape(text.substr(0, kClockLength), "00:00:00")) return false;
  const int hour = digits_at(text, 0, 2);
  const int minute = digits_at(text, 3, 2);
  const int second = digits_at(text, 6, 2);
  text.remove_prefix(kClockLength);

  if (!text.empty() && text.front() == '.') {
    std::size_t end = 1;
    while (end < text.size() && base::is_digit(text[end])) ++end;
    if (end == 1) return false;
    text.remove_prefix(end);
  }

  int offset_minutes = 0;
  if (text.empty()) {
    if (offset == Offset::required) return false;
  } else if (text != "Z" && text != "z") {
    if (!has_shape(text, "+00:00") && !has_shape(text, "-00:00")) return false;
    const int offset_hour = digits_at(text, 1, 2);
    const int offset_minute = digits_at(text, 4, 2);
    if (offset_hour > 23 || offset_minute > 59) return false;
    offset_minutes = offset_hour * 60 + offset_minute;
    if (text.front() == '-') offset_minutes = -offset_minutes;
  }

  if (hour > 23 || minute > 59) return false;
  if (second < 60) return true;
  // A leap second is the last one of a UTC day.
  constexpr int kMinutesOfDay = 24 * 60;
  const int utc = (hour * 60 + minute - offset_minutes + 2 * kMinutesOfDay) % kMinutesOfDay;
  return second == 60 && utc == kMinutesOfDay - 1;
}

}  // namespace

bool is_date(std::string_view text) {
  if (!has_shape(text, "0000-00-00")) return false;
  const int month = digits_at(text, 5, 2);
  const int day = digits_at(text, 8, 2);
  return month >= 1 && month <= 12 && day >= 1 &&
         day <= days_of_month(digits_at(text, 0, 4), month);
}

bool is_time(std::string_view text) { return is_time_of_day(text, Offset::optional); }

bool is_datetime(std::string_view text) {
  constexpr std::size_t kDateLength = 10;  // 2024-01-31
  if (text.size() <= kDateLength || !is_date(text.substr(0, kDateLength))) return false;
  const char separator = text[kDateLength];
  if (separator != 'T' && separator != 't' && separator != ' ') return false;
  return is_time_of_day(text.substr(kDateLength + 1), Offset::required);
}

bool is_uuid(std::string_view text) {
  constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  if (text.size() != kShape.size()) return false;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    if (kShape[i] == 'x' ? !base::is_hex_digit(text[i]) : text[i] != '-') return false;
  }
  return true;
}

}  // namespace fw::schema
