// What fw::Field and fw::Items check at run time.
#include <fairway/field.hpp>
#include <fairway/items.hpp>

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>
#include <variant>

#include "base/counted.hpp"
#include "base/json_text.hpp"
#include "base/utf8.hpp"
#include "schema/kinds.hpp"
#include "schema/node.hpp"
#include "schema/pattern.hpp"

namespace fw::detail {
namespace {

schema::Node node_of(std::string_view dsl) {
  auto parsed = schema::parse_dsl(dsl);
  if (const auto* error = std::get_if<schema::DslError>(&parsed)) {
    throw std::invalid_argument(fmt::format("fw::Field<\"{}\">: {}", dsl, error->message));
  }
  return std::get<schema::Node>(std::move(parsed));
}

/// A value as a part of a message.
std::string shown(const Json& value) {
  constexpr std::size_t kMaxLength = 60;
  std::string text = base::to_json_text(value);
  if (text.size() <= kMaxLength) return text;
  text.resize(kMaxLength);
  return base::valid_utf8(std::move(text)) + "…";
}

}  // namespace

double number_of_bound(std::string_view text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Json default_of(std::string_view dsl) { return node_of(dsl).default_value.value_or(nullptr); }

bool has_length(std::string_view text, Range<std::size_t> length) {
  const base::CodePoints points = base::count_code_points(text);
  return points.well_formed && length.contains(points.count);
}

bool has_format(std::string_view text, schema::Kind format) {
  return schema::info(format).has_format(text);
}

void throw_invalid_field(std::string_view dsl, const Json& value) {
  schema::Node whole;
  whole.kind = schema::Kind::object;
  whole.fields.push_back({"the value", node_of(dsl)});
  const auto checked = schema::validate(whole, Json{{"the value", value}}, schema::Source::json);
  // A value of the right type that is converted, such as "7" for an integer, is no error there.
  throw std::invalid_argument(fmt::format(
      "fw::Field<\"{}\">: {}, but is {}", dsl,
      checked.errors.empty() ? "the value must be valid" : checked.errors.front().message,
      shown(value)));
}

void throw_wrong_count(std::size_t count, std::size_t least, std::size_t most) {
  const bool is_too_few = count < least;
  throw std::invalid_argument(fmt::format("fw::Items: must have at {} {}, but has {}",
                                          is_too_few ? "least" : "most",
                                          base::counted(is_too_few ? least : most, "item"), count));
}

FieldPattern::FieldPattern(std::string_view text)
    : pattern_(std::make_shared<const schema::Pattern>(std::string(text))) {}

bool FieldPattern::matches(const std::string& text) const { return pattern_->matches(text); }

}  // namespace fw::detail
