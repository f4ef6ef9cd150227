#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/ascii.hpp"
#include "base/strings.hpp"
#include "rules/route_rules.hpp"

namespace fairway::rules {
namespace {

class PatternReader {
 public:
  explicit PatternReader(std::string_view text) : rest_(text) {}

  std::string find_error() {
    while (!rest_.empty() && error_.empty()) read_next();
    if (error_.empty() && !can_repeat_group_.empty()) error_ = "a ')' is missing";
    return error_;
  }

 private:
  void read_next() {
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

  void fail(std::string error) { error_ = std::move(error); }

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
    const char escaped = rest_.front();
    rest_.remove_prefix(1);
    can_repeat_ = escaped != 'b' && escaped != 'B';
    const bool has_name =
        (escaped == 'u' || escaped == 'p' || escaped == 'P') && rest_.starts_with('{');
    if (has_name) return skip_through('}');
    if (escaped == 'k' && rest_.starts_with('<')) skip_through('>');
  }

  void read_class() {
    skip("^");
    std::string_view last;  // the character before, if a range can begin with it
    while (!rest_.empty()) {
      if (skip("]")) return;
      if (skip("\\")) {
        if (rest_.empty()) break;
        last = {};
        next_character();
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
    if (!are_flags) return fail(fmt::format("there is no group '(?{}'", rest_.substr(0, 1)));
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

  std::string_view rest_;
  std::string error_;
  bool can_repeat_ = false;             ///< what was read last
  std::vector<bool> can_repeat_group_;  ///< of the groups that are open
};

}  // namespace

std::string pattern_error(std::string_view pattern) { return PatternReader(pattern).find_error(); }

}  // namespace fairway::rules
