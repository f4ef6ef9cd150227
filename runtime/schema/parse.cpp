// Parses DSL strings. The grammar:
//
//   schema  = type [ "?" / "!" / "=" default ]   required without a suffix and with "!"
//   type    = "enum:" value *( "," value )       blanks around a value are ignored
//           / "array" [ "<" type ">" ] [ ":" range ]
//           / "string:" [ range ] "/" regular-expression "/"
//           / name [ ":" range ]                 a range for string, number and integer only
//   range   = bound                              exactly
//           / bound "-"                          at least
//           / "-" bound                          at most
//           / bound "-" bound                    between, both inclusive
//   bound   = [ "-" ] 1*DIGIT [ "." 1*DIGIT ]    sign: number and integer; fraction: number
//
// A string such as "-5" matches both `bound` and `"-" bound`: it means "at most 5" for every type.
// A leading hyphen is a sign only if another "-" follows the number ("-5-10", "-5-"), or if there
// are two ("--5", at most -5). Exactly -5 is written "-5--5".
//
// A regular expression begins at the first slash; <fairway/schema_parts.hpp> says where it ends. In
// an enumeration, a "=" is part of a value if another value follows, or a suffix.
#include <fairway/schema_parts.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/suggest.hpp"
#include "schema/convert.hpp"
#include "schema/declaration_help.hpp"
#include "schema/kinds.hpp"
#include "schema/pattern.hpp"

namespace fw::schema {
namespace {

constexpr int kMaxArrayDepth = 16;

bool is_suffix(char c) { return c == '?' || c == '!'; }

// Other schema languages write alternatives as "a|b".
bool separates_values(std::string_view value) {
  const std::size_t bar = value.find('|');
  return bar != std::string_view::npos && bar > 0 && value.back() != '|';
}

std::string with_commas(std::string_view values) {
  std::string list(values);
  std::ranges::replace(list, '|', ',');
  return list;
}

std::string range_help(const KindInfo& kind) {
  return fmt::format(
      "write '{0}:1-50', '{0}:3' (exactly), '{0}:3-' (at least) or '{0}:-5' (at most)", kind.name);
}

class DslParser {
 public:
  explicit DslParser(std::string_view text) : text_(text) {}

  std::variant<Node, DslError> parse() {
    if (text_.empty())
      return DslError{0, 0, "the schema is empty", "write a type such as 'string'"};
    Node node;
    std::string_view type = text_;
    const std::optional<std::string_view> default_text = take_default(type);
    if (default_text && type.size() < text_.size() && !type.empty() && is_suffix(type.back())) {
      return error_at(type.substr(type.size() - 1), "a field with a default is optional",
                      fmt::format("remove '{}'", type.back()));
    }
    if (!default_text && is_suffix(type.back())) {
      node.required = type.back() == '!';
      type.remove_suffix(1);
      if (!type.empty() && is_suffix(type.back())) {
        return error_at(text_.substr(type.size() - 1), "more than one suffix",
                        "end the schema with one '?' (optional) or one '!' (required)");
      }
      if (ends_in_default(type)) {
        return error_at(text_.substr(type.size()), "a field with a default is optional",
                        fmt::format("remove '{}'", text_.back()));
      }
    }
    if (default_text && text_.starts_with("enum:") && !has_last_value(type)) {
      return error_at(text_.substr(type.size()), "the sign '=' begins a default",
                      fmt::format("if it is part of a value, write '{0}!', or '{0}?'", text_));
    }
    if (!parse_type(type, 0, node)) return std::move(error_);
    if (default_text && !parse_default(*default_text, type, node)) return std::move(error_);
    return node;
  }

 private:
  /// The text after the "=" of a default, which is removed from `type` together with it.
  static std::optional<std::string_view> take_default(std::string_view& type) {
    const std::size_t equals = fw::detail::sign_of_default(type);
    if (equals == type.npos) return std::nullopt;
    const std::string_view text = type.substr(equals + 1);
    type = type.substr(0, equals);
    return text;
  }

  /// Whether "enum:a,b=c", which a suffix follows, is meant to have a default: one of its values,
  /// or one misspelt.
  static bool ends_in_default(std::string_view type) {
    if (!type.starts_with("enum:")) return false;
    const std::optional<std::string_view> text = take_default(type);
    if (!text) return false;
    const std::string_view name = base::trim_whitespace(*text);
    return !name.empty() && !base::near_names(name, listed_values(type)).empty();
  }

  static std::vector<std::string_view> listed_values(std::string_view type) {
    std::vector<std::string_view> values;
    base::for_each_token(
        type.substr(std::string_view("enum:").size()), ',',
        [&](std::string_view each) { values.push_back(base::trim_whitespace(each)); });
    return values;
  }

  static bool has_last_value(std::string_view type) {
    const std::string_view last = base::trim_whitespace(type);
    return last.back() != ',' && last.back() != ':';
  }

  bool parse_enum_default(std::string_view text, std::string_view type, Node& node) {
    const std::string_view name = base::trim_whitespace(text);
    if (std::ranges::find(node.values, name) != node.values.end()) {
      node.required = false;
      node.default_value = std::string(name);
      return true;
    }
    const std::vector<std::string_view> values(node.values.begin(), node.values.end());
    const auto near =
        name.empty() ? std::vector<std::string_view>() : base::near_names(name, values);
    fail(name.empty() ? text_.substr(type.size()) : name,
         fmt::format("the default must be one of {}", fmt::join(values, ", ")),
         near.empty()
             ? fmt::format("if the sign '=' is part of a value, write '{0}!', or '{0}?'", text_)
             : fmt::format("did you mean '{}'?", near.front()));
    if (near.size() == 1) error_.replacement = near.front();
    return false;
  }

  bool parse_default(std::string_view text, std::string_view type, Node& node) {
    nlohmann::json value;
    switch (node.kind) {
      case Kind::any:
      case Kind::null:
      case Kind::array:
      case Kind::object:
        return fail(text_.substr(type.size()),
                    fmt::format("'{}' takes no default", info(node.kind).name),
                    "only a string, a number, a boolean or a value of an enum can be a default");
      case Kind::number:
        if (to_number(text, value) != Conversion::done) value = std::string(text);
        break;
      case Kind::integer:
        if (to_integer(text, value) != Conversion::done) value = std::string(text);
        break;
      case Kind::boolean:
        if (const auto flag = to_boolean(text)) {
          value = *flag;
        } else {
          value = std::string(text);
        }
        break;
      case Kind::enumeration:
        return parse_enum_default(text, type, node);
      default:
        value = std::string(text);
    }
    Node whole;
    whole.kind = Kind::object;
    whole.fields.push_back({"the default", node});
    const auto checked = validate(whole, {{"the default", value}}, Source::text);
    if (!checked.errors.empty()) {
      return fail(text.empty() ? text_.substr(type.size()) : text, checked.errors.front().message,
                  fmt::format("write a value that '{}' accepts", type));
    }
    node.required = false;
    node.default_value = std::move(value);
    return true;
  }

  // All parts are views into `text_`, so that errors can compute their offsets.
  DslError error_at(std::string_view part, std::string message, std::string help) const {
    return {static_cast<std::size_t>(part.data() - text_.data()), part.size(), std::move(message),
            std::move(help)};
  }

  bool fail(std::string_view part, std::string message, std::string help = {}) {
    error_ = error_at(part, std::move(message), std::move(help));
    return false;
  }

  bool parse_type(std::string_view text, int depth, Node& node) {
    const std::size_t name_length = std::min(text.find_first_of(":<>?!"), text.size());
    const std::string_view name = text.substr(0, name_length);
    std::string_view rest = text.substr(name_length);
    if (name.empty()) {
      return fail(text.empty() ? text_.substr(offset_of(text)) : text.substr(0, 1),
                  "the type is missing", "begin with a type such as 'string'");
    }
    const KindInfo* const kind = find_kind(name);
    if (!kind) {
      fail(name, fmt::format("unknown type '{}'", name), help_for_unknown_type(name));
      error_.replacement = replacement_for_unknown_type(name);
      return false;
    }
    node.kind = kind->kind;
    if (kind->kind == Kind::enumeration) return parse_values(name, rest, node);
    if (rest.starts_with('<')) {
      if (kind->kind != Kind::array) {
        return fail(rest, fmt::format("'{}' has no item type", name),
                    fmt::format("only an array has: 'array<{}>'", name));
      }
      if (!parse_items(rest, depth, node)) return false;
    }
    return parse_rest(text, rest, *kind, node);
  }

  std::size_t offset_of(std::string_view part) const {
    return static_cast<std::size_t>(part.data() - text_.data());
  }

  // "<...>"; leaves in `rest` what follows it.
  bool parse_items(std::string_view& rest, int depth, Node& node) {
    std::size_t end = 0;
    int open = 0;
    for (; end < rest.size(); ++end) {
      if (rest[end] == '<') ++open;
      if (rest[end] == '>' && --open == 0) break;
    }
    if (end == rest.size()) {
      return fail(rest.substr(0, 1), "'<' is not closed", "write 'array<string>'");
    }
    const std::string_view item = rest.substr(1, end - 1);
    if (item.empty()) {
      return fail(rest.substr(0, 2), "the item type is missing",
                  "write 'array<string>', or 'array' for items of any type");
    }
    if (is_suffix(item.back())) {
      return fail(item.substr(item.size() - 1),
                  fmt::format("an item type takes no '{}'", item.back()),
                  "put the suffix after the array: 'array<string>?'");
    }
    if (depth == kMaxArrayDepth) {
      return fail(rest.substr(0, end + 1),
                  fmt::format("arrays are nested more than {} levels deep", kMaxArrayDepth));
    }
    Node item_node;
    if (!parse_type(item, depth + 1, item_node)) return false;
    node.items = std::make_shared<const Node>(std::move(item_node));
    rest.remove_prefix(end + 1);
    return true;
  }

  // What follows the name and the item type: nothing or a range.
  bool parse_rest(std::string_view type, std::string_view rest, const KindInfo& kind, Node& node) {
    if (rest.empty()) return true;
    if (is_suffix(rest.front())) {
      const std::size_t before = offset_of(rest) - offset_of(type);
      return fail(rest.substr(0, 1), fmt::format("'{}' must be the last character", rest.front()),
                  fmt::format("write '{}{}{}'", type.substr(0, before), rest.substr(1), rest[0]));
    }
    if (rest.front() != ':') {
      return fail(rest, fmt::format("unexpected '{}' after '{}'", rest, kind.name));
    }
    if (kind.range == RangeOf::nothing) {
      return fail(rest, fmt::format("'{}' takes no range", kind.name),
                  fmt::format("remove '{}'", rest));
    }
    std::string_view range = rest.substr(1);
    if (kind.kind == Kind::string && range.find('/') != range.npos) {
      if (!parse_pattern(range, node)) return false;
      if (range.empty()) return true;
    }
    if (const std::size_t open = range.find('<');
        kind.kind == Kind::array && !node.items && open != std::string_view::npos) {
      return fail(range.substr(open), "the item type comes before the range",
                  fmt::format("write 'array{}:{}'", range.substr(open), range.substr(0, open)));
    }
    if (range.empty()) return fail(rest, "the range is missing", range_help(kind));
    return parse_range(range, kind, node);
  }

  /// "/…/" at the end, which is removed from the range before it.
  bool parse_pattern(std::string_view& range, Node& node) {
    const std::size_t begin = range.find('/');
    const std::string_view pattern = range.substr(begin);
    if (pattern.size() < 3 || pattern.back() != '/') {
      return fail(pattern,
                  pattern.size() < 2 || pattern.back() != '/' ? "the pattern has no end"
                                                              : "the pattern is empty",
                  "write a regular expression between slashes: 'string:/^[a-z]+$/'");
    }
    node.pattern = pattern.substr(1, pattern.size() - 2);
    try {
      node.expression = std::make_shared<const Pattern>(node.pattern);
    } catch (const std::invalid_argument& error) {
      return fail(pattern, fmt::format("bad pattern: {}", error.what()),
                  "look-around and back-references are not supported");
    }
    range = range.substr(0, begin);
    return true;
  }

  bool parse_range(std::string_view range, const KindInfo& kind, Node& node) {
    const std::size_t first = bound_length(range);
    std::string_view lower;
    std::string_view upper;
    if (first > 0 && first == range.size() && range.front() != '-') {
      lower = upper = range;  // "5"
    } else if (first > 0 && first < range.size() && range[first] == '-') {
      lower = range.substr(0, first);  // "5-", "-5-10"
      upper = range.substr(first + 1);
      if (!upper.empty() && !is_bound(upper, range, kind)) return false;
    } else if (range.front() == '-' && range.size() > 1) {
      upper = range.substr(1);  // "-5", "--5"
      if (!is_bound(upper, range, kind)) return false;
    } else {
      return is_bound(range, range, kind);
    }
    if (!lower.empty() && !parse_bound(lower, kind, node.min)) return false;
    if (!upper.empty() && !parse_bound(upper, kind, node.max)) return false;
    if (node.min && node.max && *node.min > *node.max) {
      return fail(range, fmt::format("bad range '{}': its minimum is above its maximum", range),
                  fmt::format("write '{}:{}-{}'", kind.name, upper, lower));
    }
    return true;
  }

  static std::size_t bound_length(std::string_view text) {
    std::size_t end = text.starts_with('-') ? 1 : 0;
    const auto skip_digits = [&] {
      const std::size_t begin = end;
      while (end < text.size() && base::is_digit(text[end])) ++end;
      return end > begin;
    };
    if (!skip_digits()) return 0;
    const std::size_t whole = end;
    if (end < text.size() && text[end] == '.') {
      ++end;
      if (!skip_digits()) return whole;
    }
    return end;
  }

  // Fails at the first character of `text` that does not belong to its bound.
  bool is_bound(std::string_view text, std::string_view range, const KindInfo& kind) {
    const std::size_t length = bound_length(text);
    if (length == text.size() && length > 0) return true;
    return fail(text.substr(length), fmt::format("bad range '{}'", range), range_help(kind));
  }

  bool parse_bound(std::string_view text, const KindInfo& kind, std::optional<double>& bound) {
    if (kind.range != RangeOf::value && text.front() == '-') {
      return fail(
          text,
          fmt::format("the {} cannot be negative",
                      kind.range == RangeOf::length ? "length of a string" : "number of items"),
          range_help(kind));
    }
    if (has_whole_bounds(kind.kind) && text.find('.') != std::string_view::npos) {
      return fail(text, fmt::format("the bounds of '{}' must be integers", kind.name),
                  kind.kind == Kind::integer ? "use 'number' for values with a fraction" : "");
    }
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    // Beyond 2^53, a double cannot represent every integer, so the bound might be rounded.
    constexpr double kMaxExact = 9007199254740991.0;
    if (result.ec == std::errc::result_out_of_range ||
        (has_whole_bounds(kind.kind) && std::fabs(value) > kMaxExact)) {
      return fail(text, fmt::format("the bound '{}' is too large", text),
                  fmt::format("leave it out, or stay below {:.0f}", kMaxExact));
    }
    bound = value;
    return true;
  }

  // ":a,b,c" after the name `enum`.
  bool parse_values(std::string_view name, std::string_view rest, Node& node) {
    constexpr std::string_view kHelp = "write 'enum:a,b,c'";
    if (rest.empty()) return fail(name, "an enum needs values", std::string(kHelp));
    if (rest.front() != ':') {
      return fail(rest, fmt::format("unexpected '{}' after 'enum'", rest), std::string(kHelp));
    }
    std::string_view list = rest.substr(1);
    if (list.empty()) return fail(rest, "an enum needs values", std::string(kHelp));
    while (true) {
      const std::size_t comma = std::min(list.find(','), list.size());
      const std::string_view value = base::trim_whitespace(list.substr(0, comma));
      if (value.empty()) {
        // The caret points at the comma that has no value, or on the one that ends the list.
        const std::size_t at = comma < list.size() ? offset_of(list) + comma : offset_of(list) - 1;
        return fail(text_.substr(at, 1), "an enum value is empty", std::string(kHelp));
      }
      // "enum:a,b! ": the space hides the suffix, which would become part of the value.
      if (comma == list.size() && is_suffix(value.back())) {
        return fail(value.substr(value.size() - 1),
                    fmt::format("'{}' must be the last character", value.back()),
                    "remove the space after it");
      }
      if (comma == list.size() && node.values.empty() && separates_values(value)) {
        fail(value, fmt::format("'{}' is one value: values are separated by ','", value),
             fmt::format("write 'enum:{}'", with_commas(value)));
        error_.replacement = with_commas(value);
        return false;
      }
      if (std::ranges::find(node.values, value) != node.values.end()) {
        return fail(value, fmt::format("duplicate enum value '{}'", value), "remove one of them");
      }
      node.values.emplace_back(value);
      if (comma == list.size()) return true;
      list.remove_prefix(comma + 1);
    }
  }

  std::string_view text_;
  DslError error_;
};

}  // namespace

std::variant<Node, DslError> parse_dsl(std::string_view text) { return DslParser(text).parse(); }

}  // namespace fw::schema
