#include "base/json_position.hpp"

#include <algorithm>
#include <map>

#include "base/json_text.hpp"

namespace fw::base {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

/// Reads a text that is valid JSON, without making values of it.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark
    skip_blanks();
  }

  std::optional<std::size_t> find(std::string_view pointer) {
    if (pointer.empty()) return at_;
    pointer_ = pointer;
    value("");
    return found_;
  }

  struct Duplicate {
    std::string pointer;
    std::size_t offset;
    std::size_t first;
  };

  std::vector<Duplicate> duplicates() {
    value("");
    return std::move(duplicates_);
  }

 private:
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }

  /// Returns the string with its quotation marks.
  std::string_view string() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2U : 1U;
    at_ = std::min(at_ + 1, text_.size());
    return text_.substr(begin, at_ - begin);
  }

  /// Skips a value, and looks for the pointer below it.
  void value(const std::string& path) {
    if (next() == '{' || next() == '[') return items(path, next() == '{');
    if (next() == '"') {
      string();
    } else {
      at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
    }
  }

  void items(const std::string& path, bool is_object) {
    ++at_;
    std::map<std::string, std::size_t> names;
    for (std::size_t index = 0; !found_; ++index) {
      skip_blanks();
      if (next() == '}' || next() == ']' || next() == '\0') break;
      const std::size_t begin = at_;
      std::string step = "/" + std::to_string(index);
      if (is_object) {
        const Json name = Json::parse(string(), nullptr, false);
        step = pointer_step(name.is_string() ? name.get_ref<const std::string&>() : "");
        at_ = std::min(text_.find(':', at_), text_.size() - 1) + 1;
        skip_blanks();
        const auto [first, is_new] = names.emplace(step, begin);
        if (!is_new) duplicates_.push_back({path + step, begin, first->second});
      }
      const std::string inner = path + step;
      if (!pointer_.empty() && inner == pointer_) {
        found_ = begin;
      } else {
        value(inner);
      }
      skip_blanks();
      if (next() == ',') ++at_;
    }
    if (at_ < text_.size()) ++at_;
  }

  std::string_view text_;
  std::string_view pointer_;  ///< not empty while something is searched for
  std::size_t at_ = 0;
  std::optional<std::size_t> found_;
  std::vector<Duplicate> duplicates_;
};

/// The part of nlohmann's message that says what is wrong: "unexpected end of input; expected ']'".
std::string_view reason_of(std::string_view message) {
  message.remove_prefix(std::min(message.find("] ") + 2, message.size()));  // the kind of exception
  message = message.substr(0, message.find("; last read: "));               // which may be long
  const auto at = message.find(" - ");
  return at == message.npos ? message : message.substr(at + 3);
}

/// The offset after the value that a comma should follow; none if that is not what is wrong.
std::optional<std::size_t> missing_comma(std::string_view text, std::string_view reason) {
  const bool is_between_items =
      reason.ends_with("expected '}'") || reason.ends_with("expected ']'");
  const bool is_value = reason.find("string literal") != reason.npos ||
                        reason.find("number literal") != reason.npos ||
                        reason.find("unexpected '{'") != reason.npos ||
                        reason.find("unexpected '['") != reason.npos ||
                        reason.find("literal") != reason.npos;
  if (!is_between_items || !is_value) return std::nullopt;
  const auto last = text.find_last_not_of(kBlanks);
  // "080" and "12-5" are one wrong value to whoever wrote them.
  const bool is_first = last == text.npos || std::string_view("[{,:").find(text[last]) != text.npos;
  return is_first ? std::nullopt : std::optional(last + 1);
}

/// What is written at `begin` and belongs to JavaScript or other notations; empty if that is
/// something else.
std::string_view foreign_notation(std::string_view text, std::size_t begin) {
  const std::string_view rest = text.substr(begin);
  if (rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with('#')) {
    return "comments are not allowed";
  }
  const auto has_start = [&](std::string_view quote) { return rest.starts_with(quote); };
  constexpr std::string_view kQuotes[] = {"'", "`", "\u201c", "\u201d", "\u2018", "\u2019"};
  if (std::ranges::any_of(kQuotes, has_start)) {
    return "a string begins and ends with a double quote, '\"'";
  }
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$-";
  const std::size_t length = std::min(rest.find_first_not_of(kLetters), rest.size());
  const std::size_t after = rest.find_first_not_of(kBlanks, length);
  if (length > 0 && after != rest.npos && rest[after] == ':') {
    return "the name of a member is in double quotes";
  }
  return {};
}

/// The offset of the comma before a bracket that ends an object or an array.
std::optional<std::size_t> trailing_comma(std::string_view text, std::size_t begin) {
  if (begin == text.size() || (text[begin] != '}' && text[begin] != ']')) return std::nullopt;
  const auto last = text.substr(0, begin).find_last_not_of(kBlanks);
  return last == text.npos || text[last] != ',' ? std::nullopt : std::optional(last);
}

/// The offset at which the token ending before `end` begins; an invalid one ends a byte earlier.
std::size_t token_begin(std::string_view text, std::size_t end, bool is_invalid) {
  if (end == 0) return 0;
  if (text[end - 1] == '"' && !is_invalid) {
    // The only quotation marks within a string are escaped.
    for (std::size_t at = end - 1; at > 0; --at) {
      if (text[at - 1] == '"' && (at < 2 || text[at - 2] != '\\')) return at - 1;
    }
    return 0;
  }
  std::size_t begin = end - 1;
  const auto is_part = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '+' || c == '.';
  };
  while (begin > 0 && (is_invalid || is_part(text[begin])) && is_part(text[begin - 1])) --begin;
  return begin;
}

}  // namespace

TextPosition position_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const auto last = before.rfind('\n');
  return {.line = static_cast<std::size_t>(lines) + 1,
          .column = before.size() - (last == before.npos ? 0 : last + 1) + 1};
}

std::optional<std::size_t> offset_of(std::string_view json, std::string_view pointer) {
  return Walk(json).find(pointer);
}

std::vector<DuplicateName> duplicate_names(std::string_view json) {
  std::vector<DuplicateName> names;
  for (Walk::Duplicate& each : Walk(json).duplicates()) {
    names.push_back(
        {std::move(each.pointer), position_at(json, each.offset), position_at(json, each.first)});
  }
  return names;
}

std::optional<TextPosition> position_of(std::string_view json, std::string_view pointer) {
  const auto offset = offset_of(json, pointer);
  return offset ? std::optional(position_at(json, *offset)) : std::nullopt;
}

SyntaxError syntax_error(std::string_view text, const Json::exception& error) {
  const auto* parse_error = dynamic_cast<const Json::parse_error*>(&error);
  const std::string_view reason = reason_of(error.what());
  if (parse_error == nullptr) return {std::nullopt, std::string(reason)};
  // The number of bytes that have been read, so that the last of them is part of the wrong token.
  const std::size_t end = std::min<std::size_t>(parse_error->byte, text.size());
  const bool is_cut_off = reason.starts_with("unexpected end of input");
  const std::size_t begin =
      is_cut_off ? text.size() : token_begin(text, end, reason.starts_with("invalid"));
  const bool is_in_string = reason.starts_with("invalid string");
  const auto foreign = is_in_string ? std::string_view() : foreign_notation(text, begin);
  if (!foreign.empty()) return {position_at(text, begin), std::string(foreign)};
  if (const auto comma = trailing_comma(text, begin)) {
    return {position_at(text, *comma),
            std::string("a ',' is not allowed before '") + text[begin] + "'"};
  }
  if (const auto comma = missing_comma(text.substr(0, begin), reason)) {
    return {position_at(text, *comma), "a ',' is missing"};
  }
  return {position_at(text, begin), std::string(reason)};
}

std::string path_at(std::string_view json, std::size_t offset) {
  struct Level {
    bool is_object;
    std::size_t index = 0;
    std::optional<std::string> name = {};
    bool is_name_next = true;
  };
  std::vector<Level> levels;
  for (std::size_t at = 0; at < std::min(offset, json.size()); ++at) {
    const char c = json[at];
    if (c == '{' || c == '[') {
      levels.push_back({c == '{'});
    } else if (levels.empty()) {
      continue;
    } else if (c == '}' || c == ']') {
      levels.pop_back();
    } else if (c == ',') {
      ++levels.back().index;
      levels.back().is_name_next = true;
    } else if (c == '"') {
      const std::size_t begin = at++;
      while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2U : 1U;
      Level& level = levels.back();
      if (!level.is_object || !level.is_name_next) continue;
      level.name = Json::parse(json.substr(begin, at + 1 - begin)).get<std::string>();
      level.is_name_next = false;
    }
  }
  std::string path;
  for (const Level& level : levels) {
    if (level.is_object && !level.name) break;
    if (!path.empty()) path += '/';
    path += level.is_object ? *level.name : std::to_string(level.index);
  }
  return path;
}

}  // namespace fw::base
