#include "resolve/comments.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.hpp"

namespace fairway::resolve {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool is_name_part(char c) {
  return fw::base::is_alphanumeric(c) || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

class Scanner {
 public:
  explicit Scanner(std::string_view source) : source_(source) {}

  std::vector<CommentLine> run() {
    while (at_ < source_.size()) {
      const char c = source_[at_];
      if (starts("//")) {
        comment(end_of_line(at_));
      } else if (starts("/*")) {
        const std::size_t end = source_.find("*/", at_ + 2);
        comment(end == kNone ? source_.size() : end + 2);
      } else if (c == '"' || c == '\'') {
        quoted(c);
      } else if (is_name_part(c) || (c == '.' && fw::base::is_digit(next()))) {
        name_or_number();
      } else if (c == '#') {
        directive();
      } else {
        advance(at_ + 1);
      }
    }
    return std::move(found_);
  }

 private:
  bool starts(std::string_view text) const { return source_.substr(at_).starts_with(text); }
  char next() const { return at_ + 1 < source_.size() ? source_[at_ + 1] : '\0'; }

  /// The end of the line. A backslash before a line end joins the line with the next one.
  std::size_t end_of_line(std::size_t from) const {
    std::size_t end = source_.find('\n', from);
    while (end != kNone && ends_in_backslash(end)) end = source_.find('\n', end + 1);
    return end == kNone ? source_.size() : end;
  }

  bool ends_in_backslash(std::size_t line_end) const {
    if (line_end > 0 && source_[line_end - 1] == '\r') --line_end;
    return line_end > 0 && source_[line_end - 1] == '\\';
  }

  void advance(std::size_t end) {
    for (; at_ < end; ++at_) {
      if (source_[at_] != '\n') continue;
      ++line_;
      line_begin_ = at_ + 1;
    }
  }

  void comment(std::size_t end) {
    while (at_ < end) {
      const std::size_t stop = std::min(source_.find('\n', at_), end);
      std::string_view text = source_.substr(at_, stop - at_);
      if (text.ends_with('\r')) text.remove_suffix(1);
      found_.push_back({line_, static_cast<unsigned>(at_ - line_begin_ + 1), text});
      advance(std::min(stop + 1, end));
    }
  }

  /// A quoted literal without a closing quote ends at the end of its line.
  void quoted(char quote) {
    const std::size_t line_end = end_of_line(at_);
    std::size_t end = at_ + 1;
    while (end < line_end && source_[end] != quote) end += source_[end] == '\\' ? 2U : 1U;
    advance(std::min(end + 1, line_end));
  }

  void name_or_number() {
    const bool is_number = fw::base::is_digit(source_[at_]) || source_[at_] == '.';
    std::size_t end = at_;
    const auto belongs = [&] {
      const char c = source_[end];
      if (is_name_part(c)) return true;
      if (!is_number) return false;
      const bool separates =
          c == '\'' && end + 1 < source_.size() && is_name_part(source_[end + 1]);
      return c == '.' || separates;
    };
    while (end < source_.size() && belongs()) ++end;
    const std::string_view name = source_.substr(at_, end - at_);
    advance(end);
    constexpr std::array<std::string_view, 5> kRawPrefixes = {"R", "LR", "uR", "UR", "u8R"};
    if (starts("\"") && std::ranges::find(kRawPrefixes, name) != kRawPrefixes.end()) raw_string();
  }

  void raw_string() {
    const std::size_t open = source_.find('(', at_);
    if (open == kNone) return advance(at_ + 1);
    const std::string close = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t end = source_.find(close, open);
    advance(end == kNone ? source_.size() : end + close.size());
  }

  /// The name of an included header may contain anything: `#include <a//b>`.
  void directive() {
    advance(at_ + 1);
    blanks();
    if (!starts("include") && !starts("import")) return;
    name_or_number();
    blanks();
    if (starts("<")) advance(std::min({source_.find('>', at_), end_of_line(at_), source_.size()}));
  }

  void blanks() {
    while (at_ < source_.size() && (source_[at_] == ' ' || source_[at_] == '\t')) advance(at_ + 1);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  unsigned line_ = 1;
  std::size_t line_begin_ = 0;
  std::vector<CommentLine> found_;
};

}  // namespace

std::vector<CommentLine> find_comments(std::string_view source) { return Scanner(source).run(); }

}  // namespace fairway::resolve
