#include "http/http_date.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <iterator>

#include "base/ascii.hpp"

namespace fw::http {
namespace {

constexpr std::string_view kDays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                      "Thursday", "Friday", "Saturday"};
constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::size_t kShortDay = 3;
constexpr std::int64_t kSecondsOfDay = 86'400;

/// Days since 1970 of a date of the Gregorian calendar, with months from 1.
constexpr std::int64_t days_since_1970(int year, int month, int day) {
  // The year begins in March here, so that a leap day is its last one.
  const int shifted = month <= 2 ? year - 1 : year;
  const int era = shifted / 400;
  const int year_of_era = shifted - era * 400;
  const int day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return std::int64_t{era} * 146'097 + day_of_era - 719'468;
}
static_assert(days_since_1970(1970, 1, 1) == 0);
static_assert(days_since_1970(2000, 3, 1) == 11'017);

constexpr int days_of(int year, int month) {
  const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  constexpr int kDaysOfMonth[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap ? 29 : kDaysOfMonth[month - 1];
}

/// The size of a date as `format_http_date` writes it.
constexpr std::size_t kDateSize = 29;

/// Appends a number that is not negative, with at least so many digits.
void append_number(std::string& text, int number, std::size_t digits) {
  const fmt::format_int decimal(number);
  if (decimal.size() < digits) text.append(digits - decimal.size(), '0');
  text.append(decimal.data(), decimal.size());
}

/// Reads a date from its beginning.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool skip(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  bool skip_day(bool is_short) {
    return std::any_of(std::begin(kDays), std::end(kDays), [&](std::string_view day) {
      return skip(is_short ? day.substr(0, kShortDay) : day);
    });
  }
  bool number(std::size_t digits, int& value) {
    if (rest_.size() < digits) return false;
    const char* const end = rest_.data() + digits;
    if (!base::is_digit(rest_[0])) return false;  // a sign
    if (std::from_chars(rest_.data(), end, value).ptr != end) return false;
    rest_.remove_prefix(digits);
    return true;
  }
  bool month(int& value) {
    for (std::size_t i = 0; i < std::size(kMonths); ++i) {
      if (!skip(kMonths[i])) continue;
      value = static_cast<int>(i) + 1;
      return true;
    }
    return false;
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

struct Date {
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
};

bool read_time(Scanner& in, Date& date) {
  return in.number(2, date.hour) && in.skip(":") && in.number(2, date.minute) && in.skip(":") &&
         in.number(2, date.second);
}

/// "Sun, 06 Nov 1994 08:49:37 GMT"
bool read_fixed(Scanner in, Date& date) {
  return in.skip_day(true) && in.skip(", ") && in.number(2, date.day) && in.skip(" ") &&
         in.month(date.month) && in.skip(" ") && in.number(4, date.year) && in.skip(" ") &&
         read_time(in, date) && in.skip(" GMT") && in.is_at_end();
}

/// "Sunday, 06-Nov-94 08:49:37 GMT". A year that would be more than 50 years ahead is a past one.
bool read_rfc_850(Scanner in, Date& date) {
  if (!in.skip_day(false) || !in.skip(", ") || !in.number(2, date.day) || !in.skip("-") ||
      !in.month(date.month) || !in.skip("-") || !in.number(2, date.year) || !in.skip(" ") ||
      !read_time(in, date) || !in.skip(" GMT") || !in.is_at_end()) {
    return false;
  }
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  const int this_year = utc.tm_year + 1900;
  date.year += this_year - this_year % 100;
  if (date.year > this_year + 50) date.year -= 100;
  return true;
}

/// "Sun Nov  6 08:49:37 1994"
bool read_asctime(Scanner in, Date& date) {
  if (!in.skip_day(true) || !in.skip(" ") || !in.month(date.month) || !in.skip(" ")) return false;
  const bool has_day = in.skip(" ") ? in.number(1, date.day) : in.number(2, date.day);
  return has_day && in.skip(" ") && read_time(in, date) && in.skip(" ") &&
         in.number(4, date.year) && in.is_at_end();
}

}  // namespace

std::string format_http_date(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm utc{};
  gmtime_r(&time, &utc);
  std::string text(kDays[static_cast<std::size_t>(utc.tm_wday)].substr(0, kShortDay));
  text.reserve(kDateSize);
  append_number(text += ", ", utc.tm_mday, 2);
  text.append(" ").append(kMonths[static_cast<std::size_t>(utc.tm_mon)]);
  append_number(text += ' ', utc.tm_year + 1900, 4);
  append_number(text += ' ', utc.tm_hour, 2);
  append_number(text += ':', utc.tm_min, 2);
  append_number(text += ':', utc.tm_sec, 2);
  return text += " GMT";
}

std::optional<std::int64_t> parse_http_date(std::string_view text) {
  Date date;
  const Scanner in(base::trim_ows(text));
  if (!read_fixed(in, date) && !read_rfc_850(in, date) && !read_asctime(in, date)) {
    return std::nullopt;
  }
  // 60 is a leap second.
  if (date.day < 1 || date.day > days_of(date.year, date.month) || date.hour > 23 ||
      date.minute > 59 || date.second > 60) {
    return std::nullopt;
  }
  return days_since_1970(date.year, date.month, date.day) * kSecondsOfDay + date.hour * 3'600 +
         date.minute * 60 + date.second;
}

}  // namespace fw::http
