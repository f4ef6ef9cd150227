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
std::int64_t default_integer_of(std::string_view dsl) {
  return default_of(dsl).get<std::int64_t>();
}
double default_number_of(std::string_view dsl) { return default_of(dsl).get<double>(); }
bool default_boolean_of(std::string_view dsl) { return default_of(dsl).get<bool>(); }

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

void throw_invalid_text(std::string_view dsl, const std::string& value) {
  throw_invalid_field(dsl, value);
}
void throw_invalid_integer(std::string_view dsl, std::int64_t value) {
  throw_invalid_field(dsl, value);
}
void throw_invalid_integer(std::string_view dsl, std::uint64_t value) {
  throw_invalid_field(dsl, value);
}
void throw_invalid_number(std::string_view dsl, double value) { throw_invalid_field(dsl, value); }

void throw_unfit_field(std::string_view dsl, const Json& value) {
  throw Json::out_of_range::create(
      406, value.dump() + " is no value of \"" + std::string(dsl) + "\"", &value);
}

void throw_wrong_count(const Json& array, std::size_t count) {
  throw Json::out_of_range::create(406, "an array cannot have " + std::to_string(count) + " items",
                                   &array);
}

void assign_text(Json& json, std::string_view text) { json = std::string(text); }

void require_text(const Json& json, std::string_view text) {
  if (json.get_ref<const std::string&>() == text) return;
  throw Json::out_of_range::create(406, "must be \"" + std::string(text) + "\", not " + json.dump(),
                                   &json);
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
