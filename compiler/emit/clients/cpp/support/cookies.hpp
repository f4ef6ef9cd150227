namespace detail {

/// Where a request goes, as far as cookies are concerned.
struct CookieTarget {
  bool secure = false;
  std::string host = {};  ///< in lower case
  std::string path = {};  ///< without the query
};

inline bool is_address(std::string_view host) {
  return host.find(':') != std::string_view::npos ||
         host.find_first_not_of("0123456789.") == std::string_view::npos;
}

inline bool is_within_domain(std::string_view host, std::string_view domain) {
  return host == domain || (host.size() > domain.size() && host.ends_with(domain) &&
                            host[host.size() - domain.size() - 1] == '.' && !is_address(host));
}

inline bool is_within_path(std::string_view path, std::string_view prefix) {
  return path.starts_with(prefix) &&
         (path.size() == prefix.size() || prefix.ends_with('/') || path[prefix.size()] == '/');
}

/// "08:49:37"; empty for other texts.
inline std::optional<std::chrono::seconds> time_of_day(std::string_view text) {
  int total = 0;
  for (const int limit : {24, 60, 60}) {
    if (text.starts_with(':')) text.remove_prefix(1);
    int value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < 0 || value >= limit) return std::nullopt;
    total = total * 60 + value;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return std::chrono::seconds(total);
}

/// The time of an `Expires` attribute (RFC 6265, 5.1.1). Empty if the text is none.
inline std::optional<std::chrono::system_clock::time_point> cookie_time(std::string_view text) {
  constexpr std::string_view kMonths = "janfebmaraprmayjunjulaugsepoctnovdec";
  const auto is_delimiter = [](char c) {
    return c == '\t' || (c >= ' ' && c <= '/') || (c >= ';' && c <= '@') ||
           (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
  };
  int day = 0;
  unsigned month = 0;
  int year = -1;
  std::optional<std::chrono::seconds> time;
  while (!text.empty()) {
    const auto length = static_cast<std::size_t>(
        std::find_if(text.begin(), text.end(), is_delimiter) - text.begin());
    std::string word(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
    const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
    if (word.find(':') != std::string::npos) {
      time = time_of_day(word);
    } else if (day == 0 && (digits == 1 || digits == 2)) {
      day = std::stoi(word);
    } else if (digits == 0 && month == 0 && word.size() >= 3) {
      std::transform(word.begin(), word.end(), word.begin(), lower);
      const std::size_t at = kMonths.find(word.substr(0, 3));
      if (at != std::string_view::npos && at % 3 == 0) month = static_cast<unsigned>(at / 3 + 1);
    } else if (year < 0 && digits >= 2 && digits <= 4) {
      year = std::stoi(word);
      if (digits == 2) year += year < 70 ? 2000 : 1900;
    }
  }
  const std::chrono::year_month_day date(std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!time || year < 1601 || !date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + *time;
}

}  // namespace detail

/// The cookies of services (RFC 6265), in memory, for ClientOptions::cookies. Thread-safe. Several
/// clients may share one, also clients of services that trust each other with their cookies.
class CookieJar {
 public:
  /// Forgets all cookies.
  void clear() {
    const std::lock_guard lock(mutex_);
    cookies_.clear();
  }

  /// The header Cookie of a request, without the cookies that `declared`, another such header, has.
  std::string header(const detail::CookieTarget& target, const std::string& declared) {
    const std::lock_guard lock(mutex_);
    remove_expired();
    const auto has_longer_path = [](const Cookie* a, const Cookie* b) {
      return a->path.size() > b->path.size();
    };
    std::vector<const Cookie*> sent;
    for (const Cookie& cookie : cookies_) {
      const bool is_of_host = cookie.host_only
                                  ? target.host == cookie.domain
                                  : detail::is_within_domain(target.host, cookie.domain);
      const bool is_declared =
          ("; " + declared).find("; " + cookie.name + "=") != std::string::npos;
      if (is_of_host && detail::is_within_path(target.path, cookie.path) &&
          (target.secure || !cookie.secure) && !is_declared) {
        // Not by std::stable_sort, inside which Clang finds a deprecated call.
        sent.insert(std::upper_bound(sent.begin(), sent.end(), &cookie, has_longer_path), &cookie);
      }
    }
    std::string text;
    for (const Cookie* cookie : sent) {
      text += (text.empty() ? "" : "; ") + cookie->name + "=" + cookie->value;
    }
    return text;
  }

  /// Keeps a cookie of a response, or removes it if it has expired. `line` is a header Set-Cookie.
  void keep(const detail::CookieTarget& target, std::string_view line) {
    std::optional<Cookie> cookie = read(target, line);
    if (!cookie) return;
    const std::lock_guard lock(mutex_);
    const auto known = std::find_if(cookies_.begin(), cookies_.end(), [&](const Cookie& each) {
      return each.name == cookie->name && each.domain == cookie->domain &&
             each.host_only == cookie->host_only && each.path == cookie->path;
    });
    const std::string domain = cookie->domain;
    if (known != cookies_.end()) {
      *known = *std::move(cookie);
    } else {
      cookies_.push_back(*std::move(cookie));
    }
    remove_expired();
    limit(domain);
  }

 private:
  using Clock = std::chrono::system_clock;

  struct Cookie {
    std::string name = {};
    std::string value = {};
    std::string domain = {};  ///< in lower case
    std::string path = {};
    bool host_only = true;
    bool secure = false;
    Clock::time_point expires = Clock::time_point::max();
  };

  static std::optional<Cookie> read(const detail::CookieTarget& target, std::string_view line) {
    constexpr std::size_t kMaxCookie = 4096;
    if (std::any_of(line.begin(), line.end(),
                    [](char c) { return detail::is_control(c) && c != '\t'; })) {
      return std::nullopt;
    }
    const std::string_view pair = detail::take_part(line, ";");
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    Cookie cookie{.name = std::string(detail::trimmed(pair.substr(0, equals))),
                  .value = std::string(detail::trimmed(pair.substr(equals + 1))),
                  .domain = target.host,
                  .path = directory_of(target.path)};
    if (cookie.name.empty() || cookie.name.size() + cookie.value.size() > kMaxCookie) {
      return std::nullopt;
    }
    std::string domain;
    bool has_age = false;
    while (!line.empty()) {
      std::string_view attribute = detail::take_part(line, ";");
      const std::string_view name = detail::trimmed(detail::take_part(attribute, "="));
      const std::string_view value = detail::trimmed(attribute);
      if (detail::same_name(name, "secure")) cookie.secure = true;
      if (detail::same_name(name, "path")) {
        cookie.path = value.starts_with('/') ? std::string(value) : directory_of(target.path);
      }
      if (detail::same_name(name, "domain")) {
        domain = value.starts_with('.') ? value.substr(1) : value;
        std::transform(domain.begin(), domain.end(), domain.begin(), detail::lower);
      }
      if (detail::same_name(name, "expires") && !has_age) {
        cookie.expires = detail::cookie_time(value).value_or(cookie.expires);
      }
      if (detail::same_name(name, "max-age")) {
        if (const auto age = age_of(value)) {
          cookie.expires = *age;
          has_age = true;
        }
      }
    }
    return is_allowed(cookie, target, domain) ? std::optional(std::move(cookie)) : std::nullopt;
  }

  /// Applies the attribute `Domain`. Without a list of public suffixes, domains of one label count
  /// as such.
  static bool is_allowed(Cookie& cookie, const detail::CookieTarget& target,
                         const std::string& domain) {
    if (cookie.secure && !target.secure) return false;
    if (!domain.empty()) {
      if (!detail::is_within_domain(target.host, domain)) return false;
      const bool is_suffix = domain.find('.') == std::string::npos;
      if (is_suffix && domain != target.host) return false;
      cookie.host_only = is_suffix || detail::is_address(domain);
      cookie.domain = domain;
    }
    if (cookie.name.starts_with("__Secure-")) return cookie.secure;
    return !cookie.name.starts_with("__Host-") ||
           (cookie.secure && domain.empty() && cookie.path == "/");
  }

  static std::string directory_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
  }

  /// At most 400 days.
  static std::optional<Clock::time_point> age_of(std::string_view text) {
    constexpr std::int64_t kMax = std::int64_t{400} * 24 * 3600;
    const bool is_negative = text.starts_with('-');
    const std::string_view digits = text.substr(is_negative ? 1 : 0);
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
      return std::nullopt;
    }
    std::int64_t seconds = kMax;  // also for numbers that are too large
    std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
    if (is_negative || seconds == 0) return Clock::time_point::min();
    return Clock::now() + std::chrono::seconds(std::min(seconds, kMax));
  }

  void remove_expired() {
    std::erase_if(cookies_,
                  [now = Clock::now()](const Cookie& each) { return each.expires <= now; });
  }

  /// Removes the oldest cookies of the domain and of all domains.
  void limit(const std::string& domain) {
    constexpr std::ptrdiff_t kMaxOfDomain = 50;
    constexpr std::size_t kMax = 3000;
    const auto is_of_domain = [&](const Cookie& each) { return each.domain == domain; };
    if (std::count_if(cookies_.begin(), cookies_.end(), is_of_domain) > kMaxOfDomain) {
      cookies_.erase(std::find_if(cookies_.begin(), cookies_.end(), is_of_domain));
    }
    if (cookies_.size() > kMax) cookies_.erase(cookies_.begin());
  }

  std::mutex mutex_;
  std::vector<Cookie> cookies_;  ///< in the order in which they came
};
