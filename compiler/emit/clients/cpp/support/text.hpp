namespace detail {

inline bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

inline bool is_token_character(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         kMarks.find(c) != std::string_view::npos;
}

inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Names of headers are case-insensitive.
inline bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

/// Without the white space around a value of a field.
inline std::string_view trimmed(std::string_view value) {
  const std::size_t begin = std::min(value.find_first_not_of(" \t"), value.size());
  value.remove_prefix(begin);
  return value.substr(0, value.find_last_not_of(" \t") + 1);
}

/// The text before the delimiter; removes both from `text`.
inline std::string_view take_part(std::string_view& text, std::string_view delimiter) {
  const std::size_t end = std::min(text.find(delimiter), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + delimiter.size(), text.size()));
  return part;
}

/// Percent-encodes everything but letters, digits and `safe`.
inline std::string percent_encode(std::string_view text, std::string_view safe = "-._~") {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (plain || safe.find(c) != std::string_view::npos) {
      result += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      result += '%';
      result += kDigits[byte / 16U];
      result += kDigits[byte % 16U];
    }
  }
  return result;
}

/// Like percent_encode, but also encodes the segments "." and "..", which proxies would remove.
inline std::string encode_segment(std::string_view segment) {
  if (segment == ".") return "%2E";
  if (segment == "..") return "%2E%2E";
  return percent_encode(segment);
}

/// Throws std::invalid_argument for a name or value that would end the header or begin another one.
inline void require_header(std::string_view name, std::string_view value) {
  const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), is_token_character);
  if (!is_name) {
    throw std::invalid_argument("'" + std::string(name) + "' is not a valid header name");
  }
  const auto is_rejected = [](char c) { return is_control(c) && c != '\t'; };
  if (std::any_of(value.begin(), value.end(), is_rejected)) {
    throw std::invalid_argument("the header '" + std::string(name) +
                                "' cannot contain control characters");
  }
}

inline void set_header(Headers& headers, std::string_view name, std::string value) {
  require_header(name, value);
  std::erase_if(headers, [&](const auto& header) { return same_name(header.first, name); });
  headers.emplace_back(name, std::move(value));
}

/// The serialized value of a parameter.
inline std::string parameter_text(const std::string& value) { return value; }
inline std::string parameter_text(bool value) { return value ? "true" : "false"; }
inline std::string parameter_text(std::int64_t value) { return std::to_string(value); }
inline std::string parameter_text(std::uint64_t value) { return std::to_string(value); }
inline std::string parameter_text(double value) { return Json(value).dump(); }
inline std::string parameter_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}
template <class T>
std::string parameter_text(const T& value) {
  return parameter_text(encode(value));
}

/// Several values of one parameter, separated by commas.
template <class T>
std::string parameter_text(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) {
    if (!text.empty()) text += ',';
    text += parameter_text(value);
  }
  return text;
}

}  // namespace detail

inline std::string ResponseInfo::header(std::string_view name) const {
  for (const auto& [each, value] : headers) {
    if (detail::same_name(each, name)) return value;
  }
  return {};
}
