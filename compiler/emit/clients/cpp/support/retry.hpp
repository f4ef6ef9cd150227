namespace detail {

inline bool may_pass(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

inline bool may_pass(const TransportError& error) {
  return error.kind() == TransportError::Kind::connect ||
         error.kind() == TransportError::Kind::interrupted;
}

/// The delay before the next attempt; `attempt` counts from 0.
inline std::chrono::milliseconds back_off(const RetryOptions& options, int attempt) {
  thread_local std::minstd_rand random{std::random_device{}()};
  auto delay = options.first_delay;
  for (int i = 0; i < attempt && delay < options.longest_delay; ++i) delay *= 2;
  const auto longest = std::max<std::int64_t>(std::min(delay, options.longest_delay).count(), 0);
  std::uniform_int_distribution<std::int64_t> spread(longest / 2, longest);
  return std::chrono::milliseconds(spread(random));
}

/// The delay before a stream is opened again, after `failures` connections without an item: at
/// least what the service asks for.
inline std::chrono::milliseconds reconnect_delay(const RetryOptions& options, int failures,
                                                 std::optional<std::chrono::milliseconds> asked) {
  const auto least = asked.value_or(options.first_delay / 2);
  RetryOptions own = options;
  own.first_delay = least * 2;
  own.longest_delay = std::max(options.longest_delay, own.first_delay);
  return std::max(least, back_off(own, failures));
}

/// The value of Retry-After, which is a number of seconds or a date. Empty if it is absent or
/// invalid.
inline std::optional<std::chrono::milliseconds> retry_after(const ResponseInfo& response) {
  const std::string text = response.header("Retry-After");
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (!text.empty() && error == std::errc() && end == text.data() + text.size() && seconds >= 0) {
    return std::chrono::seconds(std::min<std::int64_t>(seconds, 1'000'000));
  }
  std::tm time{};
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  stream >> std::get_time(&time, "%a, %d %b %Y %H:%M:%S GMT");
  if (stream.fail()) return std::nullopt;
  namespace chrono = std::chrono;
  const auto day = chrono::sys_days(chrono::year(time.tm_year + 1900) /
                                    chrono::month(static_cast<unsigned>(time.tm_mon) + 1U) /
                                    chrono::day(static_cast<unsigned>(time.tm_mday)));
  const auto moment = day + chrono::hours(time.tm_hour) + chrono::minutes(time.tm_min) +
                      chrono::seconds(time.tm_sec);
  const auto left = chrono::ceil<chrono::milliseconds>(moment - chrono::system_clock::now());
  return std::max(left, chrono::milliseconds(0));
}

}  // namespace detail
