// Dates and times of std::chrono as strings (RFC 3339), for generated code.
#pragma once

#include <fairway/json_fwd.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <ratio>
#include <string_view>
#include <utility>

namespace fw::detail {

/// A point in time in UTC.
struct Instant {
  std::int64_t seconds;      ///< since 1970
  std::int64_t nanoseconds;  ///< after that second
};

/// The days since 1970; nothing for a string that is not a `date` of the schema language.
std::optional<std::int64_t> parse_date(std::string_view text);
/// Nothing for a string that is not a `datetime`. A leap second is the first one of the next day.
/// Digits after nanoseconds are dropped.
std::optional<Instant> parse_datetime(std::string_view text);
/// @{
/// These throw std::invalid_argument unless the year is 0 to 9999.
void write_date(JsonWriter& out, std::int64_t days);
/// `fraction` is written with `digits` digits.
void write_datetime(JsonWriter& out, std::int64_t seconds, std::int64_t fraction, unsigned digits);
/// @}

/// False for a time that `Duration` cannot have.
template <class Duration>
bool set_time(const Instant& from, std::chrono::sys_time<Duration>& out) {
  using Seconds = std::chrono::duration<std::int64_t>;
  using Rep = typename Duration::rep;
  if constexpr (std::ratio_greater_equal_v<typename Duration::period, std::ratio<1>>) {
    using Wide = std::chrono::duration<std::int64_t, typename Duration::period>;
    const auto count = std::chrono::floor<Wide>(Seconds(from.seconds)).count();
    if constexpr (std::integral<Rep>) {
      if (!std::in_range<Rep>(count)) return false;
    }
    out = std::chrono::sys_time<Duration>(Duration(static_cast<Rep>(count)));
  } else {
    if constexpr (std::integral<Rep>) {
      constexpr auto kMinCount = std::chrono::duration_cast<Seconds>(Duration::min()).count();
      constexpr auto kMaxCount = std::chrono::duration_cast<Seconds>(Duration::max()).count();
      if (from.seconds < kMinCount || from.seconds >= kMaxCount) return false;
    }
    out = std::chrono::sys_time<Duration>(
        std::chrono::duration_cast<Duration>(Seconds(from.seconds)) +
        std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(from.nanoseconds)));
  }
  return true;
}

template <class Duration>
inline constexpr bool kIsDate = std::same_as<Duration, std::chrono::days>;

/// Reads a `date` for std::chrono::sys_days, and otherwise a `datetime`, of which the digits that
/// `Duration` cannot have are dropped. False for other strings, and for times outside its range.
template <class Duration>
bool read_time(std::string_view text, std::chrono::sys_time<Duration>& out) {
  if constexpr (kIsDate<Duration>) {
    const auto days = parse_date(text);
    if (days) out = std::chrono::sys_days(std::chrono::days(*days));
    return days.has_value();
  } else {
    const auto instant = parse_datetime(text);
    return instant && set_time(*instant, out);
  }
}

template <class Duration>
void write_time(JsonWriter& out, std::chrono::sys_time<Duration> time) {
  if constexpr (kIsDate<Duration>) {
    write_date(out, time.time_since_epoch().count());
  } else {
    using Clock = std::chrono::hh_mm_ss<Duration>;
    const auto seconds = std::chrono::floor<std::chrono::duration<std::int64_t>>(time);
    const auto rest = std::chrono::duration_cast<typename Clock::precision>(time - seconds);
    write_datetime(out, seconds.time_since_epoch().count(), static_cast<std::int64_t>(rest.count()),
                   Clock::fractional_width);
  }
}

}  // namespace fw::detail
