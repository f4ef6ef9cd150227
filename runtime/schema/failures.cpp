#include "schema/failures.hpp"

#include <fmt/format.h>

#include "schema/bounds.hpp"
#include "schema/kinds.hpp"

namespace fw::schema {
namespace {

void append_field(std::string& text, const Place& place) {
  if (!place.parent) return;
  append_field(text, *place.parent);
  if (place.parent->parent) text += '/';
  if (place.name.data()) {
    text += place.name;
  } else {
    text += std::to_string(place.index);
  }
}

std::string joined(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) {
    if (!text.empty()) text += ", ";
    text += value;
  }
  return text;
}

}  // namespace

std::string Place::field() const {
  if (!parent) return "value";
  std::string text;
  append_field(text, *this);
  return text;
}

void Failures::add(const Place& place, std::string rule, const std::string& problem,
                   nlohmann::json params) {
  if (full()) return;
  std::string field = place.field();
  std::string message = field + ' ' + problem;
  list_.push_back({std::move(field), std::move(message), std::move(rule), std::move(params)});
}

void Failures::missing(const Place& place, std::size_t position) {
  if (full()) return;
  std::string field = place.field();
  std::string message = field + " is required";
  list_.insert(list_.begin() + static_cast<std::ptrdiff_t>(position),
               FieldFailure{std::move(field), std::move(message), "required", nullptr});
}

void Failures::wrong_type(const Place& place, const Node& node) {
  const KindInfo& kind = info(node.kind);
  std::string rule = "type." + std::string(kind.name);
  if (node.kind == Kind::enumeration) {
    const std::string values = joined(node.values);
    add(place, std::move(rule), "must be one of " + values, {{"values", values}});
  } else {
    add(place, std::move(rule), fmt::format("must be {}", kind.demand));
  }
}

void Failures::out_of_range(const Place& place, const Node& node, bool too_small) {
  const double bound = too_small ? *node.min : *node.max;
  const bool is_exact = node.min == node.max;
  const std::string_view relation = is_exact ? "exactly" : too_small ? "at least" : "at most";
  const std::string_view plural = bound == 1 ? "" : "s";
  const std::string_view limit = is_exact ? "exact" : too_small ? "minimum" : "maximum";
  nlohmann::json params;
  if (node.min) params["minimum"] = bound_text(*node.min);
  if (node.max) params["maximum"] = bound_text(*node.max);
  const auto report = [&](std::string_view measure, const std::string& problem) {
    add(place, fmt::format("{}.{}", measure, limit), problem, std::move(params));
  };
  switch (info(node.kind).range) {
    case RangeOf::length:
      report("length",
             fmt::format("must be {} {} character{} long", relation, bound_text(bound), plural));
      break;
    case RangeOf::count:
      report("count", fmt::format("must have {} {} item{}", relation, bound_text(bound), plural));
      break;
    case RangeOf::value:
    case RangeOf::nothing:
      report("value", fmt::format("must be {} {}", relation, bound_text(bound)));
      break;
  }
}

void Failures::number_too_large(const Place& place, const Node& node) {
  if (node.kind == Kind::integer) {
    add(place, "range.integer",
        "must be an integer from -9223372036854775808 to 9223372036854775807",
        {{"minimum", "-9223372036854775808"}, {"maximum", "9223372036854775807"}});
  } else {
    add(place, "range.number", "must be a number below 1.8e308 in magnitude",
        {{"minimum", "-1.8e308"}, {"maximum", "1.8e308"}});
  }
}

void Failures::not_utf8(const Place& place) { add(place, "encoding", "must be UTF-8 text"); }

void Failures::nested_too_deep(const Place& place, std::size_t levels) {
  add(place, "depth", fmt::format("must be nested at most {} levels deep", levels),
      {{"maximum", std::to_string(levels)}});
}

}  // namespace fw::schema
