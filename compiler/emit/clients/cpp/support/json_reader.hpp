namespace detail {

/// How many bytes the code point at `at` has, two to four; 0 if they are not UTF-8.
inline std::ptrdiff_t utf8_sequence(const char* at, const char* end) {
  const auto byte = [at, end](std::ptrdiff_t index) {
    return index < end - at ? static_cast<unsigned char>(at[index]) : 0U;
  };
  const unsigned lead = byte(0);
  if (lead < 0xC2 || lead > 0xF4) return 0;
  // The second byte excludes longer forms than necessary, surrogates, and code points above
  // U+10FFFF.
  const unsigned least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < least || byte(1) > most) return 0;
  const std::ptrdiff_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  for (std::ptrdiff_t index = 2; index < length; ++index) {
    if (byte(index) < 0x80 || byte(index) > 0xBF) return 0;
  }
  return length;
}

/// Reads JSON text straight into values in one pass. Accepts only what nlohmann::json accepts, too,
/// and of that only values of the declared types without anything unusual. Otherwise it fails: a
/// value of another type, an integer with a fraction or an exponent, a repeated member, more than
/// 512 levels, an error. The caller then parses the text as a tree. Values that are read after the
/// first failure have no meaning. The text must outlive the reader.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool failed() const { return failed_; }
  void fail() { failed_ = true; }
  /// Whether the text was exactly one value, and was accepted.
  bool is_complete() {
    peek();
    return !failed_ && at_ == end_;
  }

  /// Skips `null`; false if the value is another one.
  bool null() { return peek() == 'n' && take_literal("null"); }

  bool boolean() {
    peek();
    if (take_literal("true")) return true;
    if (!take_literal("false")) fail();
    return false;
  }

  std::int64_t integer() {
    constexpr std::ptrdiff_t kMaxDigits = 19;  // so many always fit into 64 bits without a sign
    constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
    const bool negative = peek() == '-';
    if (negative) ++at_;
    const char* const first = at_;
    std::uint64_t magnitude = 0;
    for (; at_ != end_ && is_digit(*at_); ++at_) {
      magnitude = magnitude * 10 + static_cast<std::uint64_t>(*at_ - '0');
    }
    const std::ptrdiff_t digits = at_ - first;
    const bool is_plain = digits > 0 && digits <= kMaxDigits && (digits == 1 || *first != '0');
    if (!is_plain || magnitude > kMax + (negative ? 1 : 0)) fail();
    return static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
  }

  double number() {
    peek();
    const char* const first = at_;
    if (at_ != end_ && *at_ == '-') ++at_;
    const char* const whole = at_;
    skip_digits();
    const bool has_leading_zero = at_ - whole > 1 && *whole == '0';
    bool is_valid = at_ != whole && !has_leading_zero;
    bool is_integer = true;
    if (at_ != end_ && *at_ == '.') {
      ++at_;
      is_valid = skip_digits() && is_valid;
      is_integer = false;
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      is_valid = skip_digits() && is_valid;
      is_integer = false;
    }
    double value = 0;
    // Fails if the number is too large or too small for a double.
    if (!is_valid || std::from_chars(first, at_, value).ec != std::errc()) fail();
    // An integer has no negative zero.
    return is_integer ? value + 0.0 : value;
  }

  /// The content of a string: a part of the text or, if it has escapes, in `storage`.
  std::string_view string(std::string& storage) {
    if (!take('"')) return {};
    const char* const first = at_;
    skip_plain_part();
    std::string_view content(first, static_cast<std::size_t>(at_ - first));
    if (at_ != end_ && *at_ == '\\') {
      storage = content;
      while (at_ != end_ && *at_ == '\\') {
        ++at_;
        unescape(storage);
        const char* const part = at_;
        skip_plain_part();
        storage.append(part, at_);
      }
      content = storage;
    }
    // Control characters and bytes that are not UTF-8 end a part, too.
    if (at_ == end_ || *at_ != '"') {
      fail();
      return {};
    }
    ++at_;
    return content;
  }

  /// `read_item()` is called at each item and reads it.
  template <class ReadItem>
  void array(ReadItem read_item) {
    if (!begin('[')) return;
    for (bool is_first = true; next(']', is_first); is_first = false) read_item();
  }

  /// Skips a value of any type, whose text is returned.
  std::string_view skip() {
    peek();
    const char* const first = at_;
    skip_value();
    return {first, static_cast<std::size_t>(at_ - first)};
  }

 private:
  friend class JsonMembers;

  /// As on the server: types may contain themselves.
  static constexpr int kMaxLevels = 512;

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_space(char c) {
    return c <= ' ' && (c == ' ' || c == '\n' || c == '\r' || c == '\t');
  }

  /// The first character that is not whitespace; a zero byte at the end.
  char peek() {
    while (at_ != end_ && is_space(*at_)) ++at_;
    return at_ == end_ ? '\0' : *at_;
  }
  /// Skips whitespace and the character; fails if another character follows.
  bool take(char c) {
    if (peek() == c) {
      ++at_;
      return true;
    }
    fail();
    return false;
  }
  bool take_literal(std::string_view literal) {
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    if (!rest.starts_with(literal)) return false;
    at_ += literal.size();
    return true;
  }
  bool skip_digits() {
    const char* const first = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ != first;
  }

  /// Takes the bracket of an object or an array.
  bool begin(char bracket) {
    if (++depth_ > kMaxLevels) fail();
    return take(bracket) && !failed_;
  }
  /// Goes to the next item or member; after the last one, and after a failure, false.
  bool next(char closing_bracket, bool is_first) {
    if (failed_) return false;
    if (peek() == closing_bracket) {
      ++at_;
      --depth_;
      return false;
    }
    return is_first || take(',');
  }

  void skip_value();

  /// Skips well-formed UTF-8 up to a quotation mark, a backslash or a control character.
  void skip_plain_part() {
    do {
      const char* at = at_;
      while (at != end_ && kIsPlain[static_cast<unsigned char>(*at)]) ++at;
      at_ = at;
    } while (skip_sequence());
  }
  /// ASCII characters that stand for themselves in a string.
  static constexpr auto kIsPlain = [] {
    std::array<bool, 256> result = {};
    for (unsigned c = 0x20; c < 0x80; ++c) result[c] = c != '"' && c != '\\';
    return result;
  }();
  /// Skips the two to four bytes of a code point; false if they are not UTF-8.
  bool skip_sequence() {
    const std::ptrdiff_t length = utf8_sequence(at_, end_);
    at_ += length;
    return length > 0;
  }

  /// Reads an escape after its backslash.
  void unescape(std::string& out) {
    constexpr std::string_view kEscapes = "\"\\/bfnrt";
    constexpr std::string_view kCharacters = "\"\\/\b\f\n\r\t";
    const char escape = at_ == end_ ? '\0' : *at_++;
    if (const auto index = kEscapes.find(escape); index != std::string_view::npos) {
      out += kCharacters[index];
      return;
    }
    unsigned code = 0;
    if (escape != 'u' || !code_unit(code)) return fail();
    if (code >= 0xD800 && code < 0xE000) {  // a surrogate pair
      unsigned low = 0;
      if (code >= 0xDC00 || !take_literal("\\u") || !code_unit(low)) return fail();
      if (low < 0xDC00 || low >= 0xE000) return fail();
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
    }
    append_code_point(out, code);
  }
  /// Four hexadecimal digits.
  bool code_unit(unsigned& unit) {
    if (end_ - at_ < 4) return false;
    const auto [end, error] = std::from_chars(at_, at_ + 4, unit, 16);
    const bool is_whole = error == std::errc() && end == at_ + 4;
    if (is_whole) at_ = end;
    return is_whole;
  }
  static void append_code_point(std::string& out, unsigned code) {
    const auto put = [&out](unsigned byte) { out += static_cast<char>(byte); };
    const auto put_six_bits = [&](unsigned shift) { put(0x80U | (code >> shift & 0x3FU)); };
    if (code < 0x80) {
      put(code);
    } else if (code < 0x800) {
      put(0xC0U | code >> 6U);
      put_six_bits(0);
    } else if (code < 0x10000) {
      put(0xE0U | code >> 12U);
      put_six_bits(6);
      put_six_bits(0);
    } else {
      put(0xF0U | code >> 18U);
      put_six_bits(12);
      put_six_bits(6);
      put_six_bits(0);
    }
  }

  const char* at_;
  const char* end_;
  int depth_ = 0;  ///< levels of the value that is being read
  bool failed_ = false;
};

/// A loop over the members of an object: `for (JsonMembers members(in); members.next();)`.
class JsonMembers {
 public:
  explicit JsonMembers(JsonReader& in) : in_(in) { in.begin('{'); }

  /// Goes to the value of the next member. False after the last one, and after a failure.
  bool next() {
    if (!in_.next('}', is_first_)) return false;
    is_first_ = false;
    name_ = in_.string(storage_);
    return in_.take(':') && !in_.failed();
  }
  /// Valid until `next` is called.
  std::string_view name() const { return name_; }

 private:
  JsonReader& in_;
  bool is_first_ = true;
  std::string storage_;
  std::string_view name_;
};

inline void JsonReader::skip_value() {
  std::string storage;
  switch (peek()) {
    case '{':
      for (JsonMembers members(*this); members.next();) skip_value();
      break;
    case '[':
      array([this] { skip_value(); });
      break;
    case '"':
      string(storage);
      break;
    case 't':
    case 'f':
      boolean();
      break;
    case 'n':
      if (!null()) fail();
      break;
    default:
      number();
  }
}

}  // namespace detail
