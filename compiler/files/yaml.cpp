#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "base/ascii.hpp"
#include "base/parse_number.hpp"
#include "base/utf8.hpp"
#include "files/data_file.hpp"

namespace fairway::files {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxExpanded = 1'000'000;

[[noreturn]] void fail(std::size_t line, std::size_t column, std::string_view what) {
  throw YamlError(fmt::format("at line {}, column {}: {}", line, column, what));
}

[[noreturn]] void fail(const YAML::Mark& mark, std::string_view what) {
  fail(static_cast<std::size_t>(mark.line + 1), static_cast<std::size_t>(mark.column + 1), what);
}

/// A number of the core schema without its sign: decimal, `0o17` or `0x1F`. Empty for other text
/// and for numbers that do not fit.
std::optional<std::uint64_t> integer_in(std::string_view digits) {
  int base = 10;
  if (digits.starts_with("0o") || digits.starts_with("0x")) {
    base = digits[1] == 'o' ? 8 : 16;
    digits.remove_prefix(2);
  }
  return fw::base::parse_number<std::uint64_t>(digits, base);
}

/// Whether the text is a number such as `12`, `1.5`, `.5` or `5.`, possibly with an exponent.
bool is_decimal(std::string_view text) {
  const auto skip_digits = [&] {
    std::size_t count = 0;
    while (!text.empty() && fw::base::is_digit(text.front())) {
      text.remove_prefix(1);
      ++count;
    }
    return count;
  };
  std::size_t digits = skip_digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += skip_digits();
  }
  if (digits == 0) return false;
  if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
    text.remove_prefix(1);
    if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
    if (skip_digits() == 0) return false;
  }
  return text.empty();
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

/// Empty for text that is not a number. Throws for numbers that JSON cannot represent.
std::optional<Json> number_in(const std::string& text, const YAML::Mark& mark) {
  const bool has_sign = text.starts_with('-') || text.starts_with('+');
  const bool is_negative = text.starts_with('-');
  const std::string_view digits = std::string_view(text).substr(has_sign ? 1 : 0);
  if (is_one_of(digits, {".inf", ".Inf", ".INF"}) || is_one_of(text, {".nan", ".NaN", ".NAN"})) {
    fail(mark, fmt::format("'{}' is a number that JSON cannot represent", text));
  }
  const bool is_other_base = digits.starts_with("0o") || digits.starts_with("0x");
  if (is_other_base && has_sign) return std::nullopt;
  if (!is_other_base && !is_decimal(digits)) return std::nullopt;
  if (const auto value = integer_in(digits)) {
    constexpr std::uint64_t kLimit = std::uint64_t{1} << 63U;
    if (!is_negative) return Json(*value);
    if (*value < kLimit) return Json(-static_cast<std::int64_t>(*value));
    if (*value == kLimit) return Json(INT64_MIN);
  }
  if (is_other_base) {
    const bool is_number =
        digits.size() > 2 &&
        digits.substr(2).find_first_not_of(
            digits[1] == 'o' ? "01234567" : "0123456789abcdefABCDEF") == std::string_view::npos;
    if (is_number) fail(mark, fmt::format("the integer '{}' is too large", text));
    return std::nullopt;
  }
  const double value = std::strtod(text.c_str(), nullptr);
  if (!std::isfinite(value)) fail(mark, fmt::format("the number '{}' is too large", text));
  return Json(value);
}

Json scalar(const YAML::Mark& mark, const std::string& tag, const std::string& text) {
  constexpr std::string_view kCore = "tag:yaml.org,2002:";
  if (tag == "!" || tag == std::string(kCore) + "str") return text;
  if (tag == "?") {
    if (is_one_of(text, {"true", "True", "TRUE"})) return true;
    if (is_one_of(text, {"false", "False", "FALSE"})) return false;
    return number_in(text, mark).value_or(Json(text));
  }
  // A core tag on a scalar must match the type that the scalar has without it.
  if (tag.starts_with(kCore)) {
    const std::string_view type = std::string_view(tag).substr(kCore.size());
    if (type == "null" && is_one_of(text, {"", "~", "null", "Null", "NULL"})) return nullptr;
    const Json value = scalar(mark, "?", text);
    if (type == "bool" && value.is_boolean()) return value;
    if (type == "int" && value.is_number_integer()) return value;
    if (type == "float" && value.is_number()) return value.get<double>();
  }
  fail(mark, fmt::format("'{}' cannot have the tag '{}'", text, tag));
}

/// Builds a value from the events of the parser.
class Builder : public YAML::EventHandler {
 public:
  explicit Builder(std::size_t deepest) : deepest_(deepest) {}

  Json take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (expects_key()) fail(mark, "a key must be a string; write 'null' in quotes");
    add(nullptr, anchor, {}, mark);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (!expects_key()) return add(scalar(mark, tag, value), anchor, {}, mark);
    if (value == "<<" && tag == "?") {
      fail(mark, "YAML 1.2 has no merge key '<<'; write the members themselves");
    }
    begin_member(value, mark);
    if (anchor != YAML::NullAnchor) anchored_[anchor] = {Json(value), {}};
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) fail(mark, "the alias refers to the value that contains it");
    const auto& [value, extent] = found->second;
    if (expects_key()) {
      if (!value.is_string()) fail(mark, "a key must be a string");
      return begin_member(value.get<std::string>(), mark);
    }
    count_expanded(extent, mark);
    check_depth(open_.size() + extent.depth, mark);
    add(value, YAML::NullAnchor, extent, mark);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    begin(Json::array(), tag, "tag:yaml.org,2002:seq", anchor, mark);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    begin(Json::object(), tag, "tag:yaml.org,2002:map", anchor, mark);
  }
  void OnMapEnd() override { end(); }

 private:
  struct Extent {
    std::size_t size = 1;   ///< number of values, including itself
    std::size_t depth = 0;  ///< levels of sequences and mappings, including itself
  };
  /// A sequence or mapping that has not ended yet.
  struct Open {
    Json value;
    YAML::anchor_t anchor;
    YAML::Mark mark;
    Extent extent = {.size = 1, .depth = 1};
    std::optional<std::string> key = {};    ///< of the member whose value follows
    std::map<std::string, int> lines = {};  ///< line numbers of the keys so far, from 0
  };
  struct Anchored {
    Json value;
    Extent extent;
  };

  bool expects_key() const {
    return !open_.empty() && open_.back().value.is_object() && !open_.back().key;
  }

  void begin_member(const std::string& key, const YAML::Mark& mark) {
    const auto [first, is_new] = open_.back().lines.emplace(key, mark.line);
    if (!is_new) {
      fail(mark,
           fmt::format("duplicate key '{}'; the first one is at line {}", key, first->second + 1));
    }
    open_.back().key = key;
  }

  void begin(Json value, const std::string& tag, std::string_view own_tag, YAML::anchor_t anchor,
             const YAML::Mark& mark) {
    if (expects_key()) fail(mark, "a key must be a string");
    if (tag != "?" && tag != "!" && tag != own_tag) {
      fail(mark, fmt::format("the tag '{}' is unknown", tag));
    }
    check_depth(open_.size() + 1, mark);
    open_.push_back({.value = std::move(value), .anchor = anchor, .mark = mark});
  }

  void end() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    add(std::move(closed.value), closed.anchor, closed.extent, closed.mark);
  }

  void add(Json value, YAML::anchor_t anchor, const Extent& extent, const YAML::Mark& mark) {
    if (anchor != YAML::NullAnchor) {
      count_expanded(extent, mark);
      anchored_[anchor] = {value, extent};
    }
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& parent = open_.back();
    parent.extent.size += extent.size;
    parent.extent.depth = std::max(parent.extent.depth, extent.depth + 1);
    if (parent.value.is_array()) {
      parent.value.push_back(std::move(value));
    } else {
      // Keys are known to be unique, so there is no linear search for a duplicate.
      parent.value.get_ref<Json::object_t&>().emplace_back(*std::exchange(parent.key, {}),
                                                           std::move(value));
    }
  }

  void check_depth(std::size_t depth, const YAML::Mark& mark) const {
    // The root does not count as a level, as for JSON.
    if (depth <= deepest_ + 1) return;
    fail(mark, fmt::format("values are nested more than {} levels deep", deepest_));
  }

  /// Limits the number of values in copies of anchored values.
  void count_expanded(const Extent& extent, const YAML::Mark& mark) {
    expanded_ += extent.size;
    if (expanded_ > kMaxExpanded) {
      fail(mark, fmt::format("aliases expand to more than {} values", kMaxExpanded));
    }
  }

  std::size_t deepest_;
  Json root_;
  std::vector<Open> open_;  ///< the outermost one first
  std::map<YAML::anchor_t, Anchored> anchored_;
  std::size_t expanded_ = 0;
};

/// Necessary because yaml-cpp replaces bytes that are not UTF-8 and stops at a byte with the value
/// 4.
void check_characters(std::string_view text) {
  std::size_t line = 1;
  std::size_t begin = 0;
  for (std::size_t index = 0; index < text.size();) {
    const char c = text[index];
    const std::size_t size = fw::base::code_point_length(text.substr(index));
    if (size == 0) fail(line, index - begin + 1, "the file is not UTF-8");
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') ||
        c == '\x7f') {
      fail(line, index - begin + 1, "a control character must be written as an escape sequence");
    }
    index += size;
    if (c == '\n') {
      ++line;
      begin = index;
    }
  }
}

}  // namespace

Json read_yaml(std::string_view text, std::size_t deepest) {
  check_characters(text);
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    Builder builder(deepest);
    parser.HandleNextDocument(builder);
    Json value = builder.take();
    if (parser) {
      Builder next(deepest);
      if (parser.HandleNextDocument(next)) {
        throw YamlError("the file has more than one document");
      }
    }
    return value;
  } catch (const YAML::Exception& error) {
    fail(error.mark, error.msg);
  }
}

}  // namespace fairway::files
