#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "rules/route_rules.hpp"
#include "schema/pattern.hpp"

namespace fairway::rules {
namespace {

struct PosixClass {
  std::string_view name;
  std::string_view members;
};

constexpr std::array<PosixClass, 14> kPosixClasses = {{{"alnum", "0-9A-Za-z"},
                                                       {"alpha", "A-Za-z"},
                                                       {"ascii", R"(\x00-\x7F)"},
                                                       {"blank", R"(\t )"},
                                                       {"cntrl", R"(\x00-\x1F\x7F)"},
                                                       {"digit", "0-9"},
                                                       {"graph", "!-~"},
                                                       {"lower", "a-z"},
                                                       {"print", " -~"},
                                                       {"punct", R"(!-\/:-@\[-`{-~)"},
                                                       {"space", R"(\t-\r )"},
                                                       {"upper", "A-Z"},
                                                       {"word", "0-9A-Za-z_"},
                                                       {"xdigit", "0-9A-Fa-f"}}};

/// Scripts have a name of their own in RE2, and categories have one or two letters.
bool is_script_of_re2(std::string_view name) {
  if (name == "Any" || (name.size() <= 2 && name != "Yi")) return false;
  try {
    const fw::schema::Pattern pattern(fmt::format("\\p{{{}}}", name));
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

class PatternReader {
 public:
  PatternReader(std::string_view text, PatternUse use) : text_(text), use_(use), rest_(text) {}

  std::optional<PatternError> find_error() {
    while (!rest_.empty() && !error_) read_next();
    if (!error_ && !can_repeat_group_.empty()) {
      begin_ = text_.size();
      fail("a ')' is missing");
    }
    return std::move(error_);
  }

 private:
  void read_next() {
    begin_ = position();
    const char c = rest_.front();
    rest_.remove_prefix(1);
    const bool could_repeat = can_repeat_;
    can_repeat_ = true;
    switch (c) {
      case '\\':
        return read_escape();
      case '[':
        return read_class();
      case '(':
        return read_group();
      case ')':
        if (can_repeat_group_.empty()) return fail("a '(' is missing");
        can_repeat_ = can_repeat_group_.back();
        return can_repeat_group_.pop_back();
      case '|':
      case '^':
      case '$':
        can_repeat_ = false;
        return;
      case '*':
      case '+':
      case '?':
        return end_quantifier(std::string_view(&c, 1), could_repeat);
      case '{':
        return read_count(could_repeat);
      default:
        return;
    }
  }

  std::size_t position() const { return text_.size() - rest_.size(); }

  void fail(std::string message, std::string help = {}) {
    error_ = PatternError{std::move(message), std::move(help), begin_, position() - begin_};
  }

  bool skip(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  void skip_through(char end) {
    rest_.remove_prefix(std::min(rest_.find(end), rest_.size() - 1) + 1);
  }

  void read_escape() {
    if (rest_.empty()) return fail("'\\' is at the end");
    const char escaped = next_character().front();
    if (!check_escape(escaped)) return;
    can_repeat_ = escaped != 'b' && escaped != 'B';
    const bool has_name =
        (escaped == 'u' || escaped == 'p' || escaped == 'P') && rest_.starts_with('{');
    if (has_name) return skip_through('}');
    if (escaped == 'k' && rest_.starts_with('<')) skip_through('>');
  }

  /// Whether ECMAScript has the escape sequence that was read up to `escaped`.
  bool check_escape(char escaped) {
    const auto not_known = [this](std::string help) {
      fail(fmt::format("ECMAScript has no '{}'", text_.substr(begin_, position() - begin_)),
           std::move(help));
      return false;
    };
    switch (escaped) {
      case 'A':
        return not_known("write '^'");
      case 'z':
        return not_known("write '$'");
      case 'C':
        return not_known("write '.'");
      case 'a':
        return not_known("write '\\x07'");
      case 'Q':
      case 'E':
        return not_known("write '\\' before each character that has a meaning: '\\.'");
      case 'p':
      case 'P':
        return check_property(escaped);
      case 'x':
        if (!rest_.starts_with('{')) return true;
        skip_through('}');
        return not_known("write '\\x' and two digits, or the character");
      default:
        // RE2 has no back-references.
        if (use_ == PatternUse::client || !fw::base::is_digit(escaped)) return true;
        if (escaped == '0' && (rest_.empty() || !fw::base::is_digit(rest_.front()))) return true;
        while (!rest_.empty() && fw::base::is_digit(rest_.front())) rest_.remove_prefix(1);
        return not_known("write '\\x' and two hexadecimal digits");
    }
  }

  /// After "\p".
  bool check_property(char escaped) {
    const std::size_t end = rest_.find('}');
    const bool has_name = rest_.starts_with('{') && end != std::string_view::npos;
    std::string_view name = has_name ? rest_.substr(1, end - 1) : rest_.substr(0, 1);
    const bool is_negated = name.starts_with('^');
    if (is_negated) name.remove_prefix(1);
    const bool is_script = is_script_of_re2(name);
    if (has_name && !is_negated && !is_script) return true;
    rest_.remove_prefix(has_name ? end + 1 : name.size());
    fail(fmt::format("ECMAScript has no '{}'", text_.substr(begin_, position() - begin_)),
         is_script && use_ == PatternUse::shared
             ? "list the characters, such as '[α-ω]'"
             : fmt::format("write '\\{}{{{}{}}}'", is_negated == (escaped == 'P') ? 'p' : 'P',
                           is_script ? "Script=" : "", name.empty() ? "L" : name));
    return false;
  }

  void read_class() {
    const bool is_negated = skip("^");
    if (use_ == PatternUse::shared && skip("]")) {
      return fail(fmt::format("'{}' means something else in ECMAScript", is_negated ? "[^]" : "[]"),
                  "write '\\]' for the character ']'");
    }
    std::string_view last;  // the character before, if a range can begin with it
    while (!rest_.empty()) {
      if (skip("]")) return;
      if (rest_.starts_with("[:") && fail_at_posix_class()) return;
      const std::size_t before = position();
      if (skip("\\")) {
        if (rest_.empty()) break;
        last = {};
        const std::size_t begin = std::exchange(begin_, before);
        if (!check_escape(next_character().front())) return;
        begin_ = begin;
        continue;
      }
      const std::string_view first = next_character();
      const bool is_range = first == "-" && !last.empty() && !rest_.empty() &&
                            rest_.front() != ']' && rest_.front() != '\\';
      if (!is_range) {
        last = first;
        continue;
      }
      // UTF-8 has the same order as the characters.
      const std::string_view end = next_character();
      if (end < last) return fail(fmt::format("the range '{}-{}' is out of order", last, end));
      last = {};
    }
    fail("a ']' is missing");
  }

  /// Whether "[:alpha:]" is next.
  bool fail_at_posix_class() {
    const std::size_t end = rest_.find(":]");
    if (end == std::string_view::npos) return false;
    std::string_view name = rest_.substr(2, end - 2);
    const bool is_negated = name.starts_with('^');
    if (is_negated) name.remove_prefix(1);
    const auto* const found = std::ranges::find(kPosixClasses, name, &PosixClass::name);
    if (found == kPosixClasses.end()) return false;
    begin_ = position();
    rest_.remove_prefix(end + 2);
    fail(fmt::format("ECMAScript has no '{}'", text_.substr(begin_, position() - begin_)),
         fmt::format("write '[{}{}]'", is_negated ? "^" : "", found->members));
    return true;
  }

  std::string_view next_character() {
    const std::size_t length = std::max<std::size_t>(fw::base::code_point_length(rest_), 1);
    const std::string_view character = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return character;
  }

  void read_group() {
    can_repeat_ = false;
    can_repeat_group_.push_back(true);
    if (!skip("?") || skip(":") || skip("=") || skip("!")) return;
    if (skip("<=") || skip("<!")) {
      can_repeat_group_.back() = false;
      return;
    }
    const std::size_t end = rest_.find_first_of(":)");
    if (skip("<")) {
      const std::string_view name = rest_.substr(0, rest_.find('>'));
      const bool is_name = name.size() < rest_.size() && !name.empty() &&
                           !fw::base::is_digit(name.front()) &&
                           name.find_first_of("()<: ") == std::string_view::npos;
      return is_name ? skip_through('>') : fail("a group has an invalid name");
    }
    // Flags, as in "(?i:a)".
    const std::string_view flags = rest_.substr(0, end);
    const bool are_flags = end != std::string_view::npos && rest_[end] == ':' &&
                           flags.find_first_not_of("ims-") == std::string_view::npos;
    if (!are_flags) {
      const std::string group = fmt::format("(?{}", rest_.substr(0, 1));
      skip(rest_.substr(0, 1));
      return fail(fmt::format("there is no group '{}'", group),
                  group == "(?P"   ? "write '(…)'"
                  : group == "(?i" ? "list both cases: '[Aa]'"
                  : group == "(?s" ? "write '[\\s\\S]' for any character"
                                   : "");
    }
    skip_through(':');
  }

  /// "{2}", "{2,}" or "{2,5}"; anything else is literal.
  void read_count(bool could_repeat) {
    const std::size_t end = rest_.find('}');
    if (end == std::string_view::npos) return;
    const std::string_view count = rest_.substr(0, end);
    const std::string_view least = count.substr(0, count.find(','));
    const std::string_view most =
        least.size() < count.size() ? count.substr(least.size() + 1) : std::string_view();
    const bool are_digits = std::ranges::all_of(least, fw::base::is_digit) &&
                            std::ranges::all_of(most, fw::base::is_digit);
    if (least.empty() || !are_digits) return;
    rest_.remove_prefix(end + 1);
    if (!most.empty() && number(least) > number(most)) {
      return fail(fmt::format("the count '{{{}}}' is out of order", count));
    }
    end_quantifier(fmt::format("{{{}}}", count), could_repeat);
  }

  static double number(std::string_view digits) {
    double value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  }

  void end_quantifier(std::string_view quantifier, bool could_repeat) {
    if (!could_repeat) return fail(fmt::format("'{}' has nothing to repeat", quantifier));
    skip("?");
    can_repeat_ = false;
  }

  std::string_view text_;
  PatternUse use_;
  std::string_view rest_;
  std::size_t begin_ = 0;  ///< of what is read
  std::optional<PatternError> error_;
  bool can_repeat_ = false;             ///< what was read last
  std::vector<bool> can_repeat_group_;  ///< of the groups that are open
};

}  // namespace

std::optional<PatternError> pattern_error(std::string_view pattern, PatternUse use) {
  return PatternReader(pattern, use).find_error();
}

}  // namespace fairway::rules
