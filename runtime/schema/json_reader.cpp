#include <fairway/generated/json_reader.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <span>
#include <system_error>

#include "base/ascii.hpp"
#include "base/assign.hpp"
#include "base/json_text.hpp"
#include "base/utf8.hpp"
#include "base/word_scan.hpp"
#include "schema/kinds.hpp"

namespace fw::detail {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kBits = 64;
/// As for trees: types may contain themselves.
constexpr int kMaxLevels = 512;

bool ends_plain_part(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ';
}

/// The first quotation mark, backslash or control character; `end` if there is none. Sets
/// `is_ascii` to false if there is another byte than ASCII before it.
const char* end_of_plain_part(const char* at, const char* end, bool& is_ascii) {
  std::uint64_t high = 0;
  while (static_cast<std::size_t>(end - at) >= kWord) {
    std::uint64_t word;
    std::memcpy(&word, at, kWord);
    if (base::mark_not_plain(word) == 0) {
      at += kWord;
      continue;
    }
    const std::uint64_t marks =
        base::mark_equal(word, '"') | base::mark_equal(word, '\\') | base::mark_below(word, ' ');
    if (marks != 0) {
      if constexpr (std::endian::native != std::endian::little) break;
      // The lowest mark is exact.
      high |= word & ((marks & (~marks + 1)) - 1);
      at += std::countr_zero(marks) / 8;
      if ((high & base::eight_of(0x80)) != 0) is_ascii = false;
      return at;
    }
    high |= word;
    at += kWord;
  }
  for (; at != end && !ends_plain_part(*at); ++at) high |= static_cast<unsigned char>(*at);
  if ((high & base::eight_of(0x80)) != 0) is_ascii = false;
  return at;
}

const char* end_of_whitespace(const char* at, const char* end) {
  while (at != end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) ++at;
  return at;
}

const char* end_of_digits(const char* at, const char* end) {
  while (at != end && base::is_digit(*at)) ++at;
  return at;
}

/// Four hexadecimal digits, or nothing.
bool read_code_unit(const char*& at, const char* end, unsigned& unit) {
  if (end - at < 4) return false;
  unit = 0;
  for (int i = 0; i < 4; ++i, ++at) {
    if (!base::is_hex_digit(*at)) return false;
    unit = unit * 16 + base::hex_value(*at);
  }
  return true;
}

void append_code_point(std::string& out, unsigned code) {
  const auto put = [&](unsigned byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

/// Reads the rest of an escape after its backslash. Returns false if it is invalid, for example if
/// it is half of a surrogate pair.
bool append_escaped(const char*& at, const char* end, std::string& out) {
  if (at == end) return false;
  constexpr std::string_view kEscapes = "\"\\/bfnrt";
  constexpr std::string_view kCharacters = "\"\\/\b\f\n\r\t";
  const char escape = *at++;
  if (const auto index = kEscapes.find(escape); index != std::string_view::npos) {
    out += kCharacters[index];
    return true;
  }
  unsigned code = 0;
  if (escape != 'u' || !read_code_unit(at, end, code)) return false;
  if (code >= 0xD800 && code < 0xE000) {
    unsigned low = 0;
    if (code >= 0xDC00 || end - at < 2 || at[0] != '\\' || at[1] != 'u') return false;
    at += 2;
    if (!read_code_unit(at, end, low) || low < 0xDC00 || low >= 0xE000) return false;
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  append_code_point(out, code);
  return true;
}

// Digits and powers of ten that a double has exactly: their quotient is the nearest double.
constexpr std::size_t kExactDigits = 15;
constexpr std::array<double, kExactDigits + 1> kPowersOfTen = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

constexpr double kTwoTo53 = 9007199254740992.0;

/// How many bytes may be read again, for each byte of a text. One that was validated is read once
/// for each of its levels at most.
constexpr std::size_t kRepetitions = 64;

}  // namespace

bool JsonReader::is_complete() {
  peek();
  return !failed() && at_ == end_;
}

char JsonReader::peek() {
  // Most clients send no whitespace.
  if (at_ != end_ && static_cast<unsigned char>(*at_) > ' ') return *at_;
  at_ = end_of_whitespace(at_, end_);
  return at_ == end_ ? '\0' : *at_;
}

bool JsonReader::take(char c) {
  if (peek() == c && at_ != end_) {
    ++at_;
    return true;
  }
  fail();
  return false;
}

bool JsonReader::take_literal(std::string_view literal) {
  if (!std::string_view(at_, end_).starts_with(literal)) return false;
  at_ += literal.size();
  return true;
}

void JsonReader::unescape(const char* from, std::string& out) {
  out.assign(from, at_);
  bool is_ascii = true;
  while (at_ != end_ && *at_ != '"') {
    if (*at_++ != '\\' || !append_escaped(at_, end_, out)) return fail();
    const char* const part = at_;
    at_ = end_of_plain_part(at_, end_, is_ascii);
    out.append(part, at_);
  }
  if (at_ == end_) fail();
}

std::string_view JsonReader::read_string(std::string& storage, std::size_t& code_points) {
  if (!take('"')) return {};
  const char* const from = at_;
  bool is_ascii = true;
  at_ = end_of_plain_part(at_, end_, is_ascii);
  std::string_view content(from, at_);
  if (at_ == end_ || *at_ != '"') {
    unescape(from, storage);
    if (failed()) return {};
    content = storage;
    is_ascii = false;
  }
  ++at_;
  if (is_ascii) {
    code_points = content.size();
  } else {
    const base::CodePoints points = base::count_code_points(content);
    if (!points.well_formed) fail();
    code_points = points.count;
  }
  return content;
}

void JsonReader::string(std::string& out, Range<std::size_t> length) {
  std::size_t code_points = 0;
  const std::string_view content = read_string(out, code_points);
  if (failed() || !length.contains(code_points)) return fail();
  if (content.data() != out.data()) base::assign(out, content);
}

void JsonReader::formatted(std::string& out, schema::Kind format) {
  string(out);
  if (!failed() && !schema::info(format).has_format(out)) fail();
}

std::size_t JsonReader::index_of_string(Names values) {
  std::string storage;
  std::size_t code_points = 0;
  const std::string_view content = read_string(storage, code_points);
  for (std::size_t index = 0; !failed() && index < values.count; ++index) {
    if (content == values.first[index]) return index;
  }
  fail();
  return 0;
}

void JsonReader::integer(std::int64_t& out, Range<std::int64_t> range) {
  constexpr std::ptrdiff_t kMaxDigits = 19;  // so many always fit into 64 bits without a sign
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  const bool negative = peek() == '-';
  if (negative) ++at_;
  const char* const first = at_;
  std::uint64_t magnitude = 0;
  for (; at_ != end_ && base::is_digit(*at_); ++at_) {
    magnitude = magnitude * 10 + static_cast<std::uint64_t>(*at_ - '0');
  }
  const std::ptrdiff_t digits = at_ - first;
  if (digits == 0 || digits > kMaxDigits || (digits > 1 && *first == '0')) return fail();
  if (magnitude > kMax + (negative ? 1 : 0)) return fail();
  out = static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
  if (!range.contains(out)) fail();
}

void JsonReader::integer(std::uint64_t& out) {
  peek();
  const auto [end, error] = std::from_chars(at_, end_, out);
  if (error != std::errc() || (end - at_ > 1 && *at_ == '0')) return fail();
  at_ = end;
}

void JsonReader::number(double& out, Range<double> range) {
  const bool negative = peek() == '-';
  const char* const first = at_;
  if (negative) ++at_;
  const char* const whole = at_;
  at_ = end_of_digits(at_, end_);
  const char* const point = at_;
  if (point == whole || (point - whole > 1 && *whole == '0')) return fail();
  if (at_ != end_ && *at_ == '.') {
    at_ = end_of_digits(at_ + 1, end_);
    if (at_ == point + 1) return fail();
  }
  const auto fraction = at_ == point ? 0 : static_cast<std::size_t>(at_ - point - 1);
  if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    const char* const exponent = at_;
    at_ = end_of_digits(at_, end_);
    if (at_ == exponent) return fail();
  } else if (state_ == State::strict &&
             static_cast<std::size_t>(point - whole) + fraction <= kExactDigits) {
    std::uint64_t digits = 0;
    for (const char* each = whole; each != at_; ++each) {
      if (*each != '.') digits = digits * 10 + static_cast<std::uint64_t>(*each - '0');
    }
    const double magnitude = static_cast<double>(digits) / kPowersOfTen[fraction];
    out = negative ? -magnitude : magnitude;
    // Whether zero has a sign depends on how it is written.
    if ((negative && digits == 0) || !range.contains(out)) fail();
    return;
  }
  const auto [end, error] = std::from_chars(first, at_, out);
  if (state_ != State::strict) {
    if (error != std::errc()) fail();
    return;
  }
  if (error != std::errc() || end != at_ || out == 0) return fail();
  // Larger integers are compared with bounds before they lose digits.
  if (out <= -kTwoTo53 || out >= kTwoTo53 || !range.contains(out)) fail();
}

void JsonReader::boolean(bool& out) {
  peek();
  if (take_literal("true")) {
    out = true;
  } else if (take_literal("false")) {
    out = false;
  } else {
    fail();
  }
}

bool JsonReader::null() { return peek() == 'n' && take_literal("null"); }

/// Takes the bracket of an object or an array.
bool JsonReader::begin_level(char c) {
  if (++depth_ > kMaxLevels) fail();
  return take(c) && !failed();
}

void JsonReader::end_level() {
  ++at_;
  --depth_;
}

JsonTypes JsonReader::next_type() {
  switch (const char c = peek()) {
    case '{':
      return JsonTypes::object;
    case '[':
      return JsonTypes::array;
    case '"':
      return JsonTypes::string;
    case 't':
    case 'f':
      return JsonTypes::boolean;
    case 'n':
      return JsonTypes::null;
    default:
      return c == '-' || base::is_digit(c) ? JsonTypes::number : JsonTypes{};
  }
}

void JsonReader::skip_string() {
  if (!take('"')) return;
  bool is_ascii = true;
  while (true) {
    at_ = end_of_plain_part(at_, end_, is_ascii);
    if (at_ == end_ || static_cast<unsigned char>(*at_) < ' ') return fail();
    if (*at_++ == '"') return;
    if (at_ == end_) return fail();
    ++at_;  // what the backslash escapes
  }
}

void JsonReader::skip() {
  const int outside = depth_;
  do {
    const char c = peek();
    if (c == '"') {
      skip_string();
    } else if (c == '{' || c == '[') {
      if (!begin_level(c)) return;
    } else if (c == '}' || c == ']') {
      if (depth_ == outside) return fail();
      end_level();
    } else if (c == ',' || c == ':') {
      if (depth_ == outside) return fail();
      ++at_;
    } else {
      const char* const from = at_;
      while (at_ != end_ &&
             (base::is_alphanumeric(*at_) || *at_ == '-' || *at_ == '+' || *at_ == '.')) {
        ++at_;
      }
      if (at_ == from) fail();
    }
  } while (!failed() && depth_ > outside);
}

void JsonReader::tree(Json& out) {
  peek();
  const char* const from = at_;
  skip();
  if (failed()) return;
  Json parsed = Json::parse(from, at_, nullptr, false);
  if (parsed.is_discarded()) return fail();
  out = std::move(parsed);
}

void JsonReader::charge(std::size_t bytes) {
  charged_ += bytes;
  const auto size = static_cast<std::size_t>(end_ - begin_);
  if (state_ == State::strict && charged_ / kRepetitions > size) fail();
}

bool JsonReader::has_member(std::string_view name, std::string_view value) {
  const char* const from = at_;
  const int depth = depth_;
  std::string storage;
  std::size_t code_points = 0;
  bool is_found = false;
  for (char separator = '{'; !failed() && peek() == separator; separator = ',') {
    ++at_;
    const bool has_name = read_string(storage, code_points) == name;
    if (failed() || !take(':')) break;
    if (has_name) {
      is_found = peek() == '"' && read_string(storage, code_points) == value && !failed();
      break;
    }
    skip();
  }
  const auto looked_at = static_cast<std::size_t>(at_ - from);
  at_ = from;
  depth_ = depth;
  charge(looked_at);
  return is_found;
}

void JsonReader::retry(const JsonReader& before) {
  const auto bytes = static_cast<std::size_t>(at_ - before.at_);
  const std::size_t charged = charged_;
  *this = before;
  charged_ = charged;
  charge(bytes);
}

bool JsonReader::next_member(bool is_first, std::string& name) {
  if (failed()) return false;
  if (peek() == '}') {
    end_level();
    return false;
  }
  if (!is_first && !take(',')) return false;
  std::size_t code_points = 0;
  if (const std::string_view content = read_string(name, code_points);
      content.data() != name.data()) {
    name = content;
  }
  return !failed() && take(':');
}

bool JsonReader::begin_array() { return begin_level('['); }

bool JsonReader::next_item(bool is_first) {
  if (failed()) return false;
  if (peek() == ']') {
    end_level();
    return false;
  }
  return is_first || take(',');
}

JsonObject::JsonObject(JsonReader& in, JsonReader::Names names, std::uint64_t required,
                       MoreMembers* more)
    : in_(in), names_(names), required_(required), more_(more) {
  in_.begin_level('{');
}

bool JsonObject::mark() {
  const std::uint64_t bit = std::uint64_t{1} << (member_ % kBits);
  std::uint64_t& seen = member_ < kBits ? seen_ : more_[member_ / kBits - 1].seen;
  if ((seen & bit) != 0) return false;
  seen |= bit;
  return true;
}

bool JsonObject::has_all_required() const {
  if ((seen_ & required_) != required_) return false;
  if (names_.count <= kBits) return true;
  const std::span<const MoreMembers> more(more_, (names_.count - 1) / kBits);
  return std::ranges::all_of(
      more, [](const MoreMembers& each) { return (each.seen & each.required) == each.required; });
}

bool JsonObject::take_name(std::size_t index) {
  const std::string_view name = names_.first[index];
  if (static_cast<std::size_t>(in_.end_ - in_.at_) <= name.size()) return false;
  if (in_.at_[name.size()] != '"') return false;
  if (std::memcmp(in_.at_, name.data(), name.size()) != 0) return false;
  in_.at_ += name.size() + 1;
  member_ = index;
  return true;
}

/// Whether the object has a member of this name; `member_` is then its index.
bool JsonObject::find_name(std::string_view name) {
  for (std::size_t index = 0; index < names_.count; ++index) {
    const bool is_equal = in_.state_ == JsonReader::State::validated_header
                              ? base::equal_ignoring_case(names_.first[index], name)
                              : names_.first[index] == name;
    if (!is_equal) continue;
    member_ = index;
    return true;
  }
  return false;
}

/// The next member of a validated text; false after a failure.
bool JsonObject::next_otherwise() {
  std::string name;
  while (in_.next_member(!has_begun_, name)) {
    has_begun_ = true;
    if (find_name(name)) {
      mark();
      return true;
    }
    in_.skip();
  }
  if (!has_all_required()) in_.fail();
  return false;
}

bool JsonObject::next() {
  if (in_.state_ != JsonReader::State::strict) return next_otherwise();
  if (in_.peek() == '}') {
    in_.end_level();
    if (!has_all_required()) in_.fail();
    return false;
  }
  if ((has_begun_ && !in_.take(',')) || !in_.take('"')) return false;
  // Clients usually write members in the declared order.
  const std::size_t expected = has_begun_ ? member_ + 1 : 0;
  has_begun_ = true;
  bool is_known = expected < names_.count && take_name(expected);
  for (std::size_t index = 0; !is_known && index < names_.count; ++index) {
    is_known = take_name(index);
  }
  if (!is_known || !mark()) {
    in_.fail();
    return false;
  }
  return in_.take(':');
}

}  // namespace fw::detail
