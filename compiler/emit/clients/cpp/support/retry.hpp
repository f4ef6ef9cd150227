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
  for (int i = 0; i < attempt && delay < options.longest_delay; ++i) {
    delay = delay < options.longest_delay / 2 ? delay * 2 : options.longest_delay;
  }
  const auto longest = std::max<std::int64_t>(std::min(delay, options.longest_delay).count(), 0);
  std::uniform_int_distribution<std::int64_t> spread(longest / 2, longest);
  return std::chrono::milliseconds(spread(random));
}

/// A service cannot ask for a longer delay.
inline constexpr std::chrono::seconds kMaxRequestedDelay{1'000'000};

/// The delay before a stream or a socket is opened again: at least what the service asks for, by
/// the field `retry` of a stream.
inline std::chrono::milliseconds reconnect_delay(const RetryOptions& options, int attempt,
                                                 std::optional<std::chrono::milliseconds> asked) {
  using std::chrono::milliseconds;
  const auto least = std::clamp<milliseconds>(asked.value_or(milliseconds(0)), milliseconds(0),
                                              kMaxRequestedDelay);
  RetryOptions own = options;
  own.first_delay = std::max(least * 2, options.first_delay);
  own.longest_delay = std::max(least * 2, options.longest_delay);
  return std::max(least, back_off(own, attempt));
}

/// When a stream or a socket connects again.
class Reconnection {
 public:
  /// `most`: how often in a row. Empty: without a limit once it has been open.
  Reconnection(const RetryOptions& options, std::optional<int> most)
      : options_(options), most_(most) {}

  /// Before each connection.
  void begin() {
    since_.reset();
    has_received_ = false;
  }
  void opened() {
    since_ = Clock::now();
    was_open_ = true;
  }
  /// An item or a message.
  void received() { has_received_ = true; }
  /// Whether any connection was open.
  bool was_open() const { return was_open_; }

  /// The delay after a connection; empty if there is to be no other. `asked` is what the service
  /// asks for by Retry-After, `asked_of_stream` by the stream.
  std::optional<std::chrono::milliseconds> next(
      std::optional<std::chrono::milliseconds> asked,
      std::optional<std::chrono::milliseconds> asked_of_stream = {}) {
    // A service that accepts each connection and ends it soon must not be asked again at once.
    const bool has_lasted = since_ && Clock::now() > time_after(*since_, options_.longest_delay);
    if (has_lasted) attempts_ = 0;
    if (has_lasted || has_received_) failures_ = 0;
    const int most =
        most_.value_or(was_open_ ? std::numeric_limits<int>::max() : options_.max_retries);
    if (failures_ >= most) return std::nullopt;
    ++failures_;
    const auto own = reconnect_delay(options_, attempts_++, asked_of_stream);
    return std::max(own, asked.value_or(own));
  }

 private:
  const RetryOptions options_;
  const std::optional<int> most_;
  bool was_open_ = false;
  int failures_ = 0;  ///< connections in a row that were not open, or soon ended without an item
  int attempts_ = 0;  ///< connections in a row that were not open, or soon ended
  // Of the current connection:
  std::optional<Clock::time_point> since_;
  bool has_received_ = false;
};

/// The value of Retry-After, which is a number of seconds or a date. Empty if it is absent or
/// invalid.
inline std::optional<std::chrono::milliseconds> retry_after(const ResponseInfo& response) {
  const std::string text = response.header("Retry-After");
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (!text.empty() && error == std::errc() && end == text.data() + text.size() && seconds >= 0) {
    return std::min<std::chrono::seconds>(std::chrono::seconds(seconds), kMaxRequestedDelay);
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
  // In milliseconds, because the nanoseconds of some dates do not fit.
  const auto now = chrono::floor<chrono::milliseconds>(chrono::system_clock::now());
  return std::clamp<chrono::milliseconds>(moment - now, chrono::milliseconds(0),
                                          kMaxRequestedDelay);
}

}  // namespace detail
