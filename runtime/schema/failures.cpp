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

void Failures::add(const Place& place, std::string_view problem) {
  if (full()) return;
  std::string field = place.field();
  std::string message = fmt::format("{} {}", field, problem);
  list_.push_back({std::move(field), std::move(message)});
}

void Failures::missing(const Place& place, std::size_t position) {
  if (full()) return;
  std::string field = place.field();
  std::string message = field + " is required";
  list_.insert(list_.begin() + static_cast<std::ptrdiff_t>(position),
               {std::move(field), std::move(message)});
}

void Failures::wrong_type(const Place& place, const Node& node) {
  if (node.kind == Kind::enumeration) {
    add(place, fmt::format("must be one of {}", joined(node.values)));
  } else {
    add(place, fmt::format("must be {}", info(node.kind).demand));
  }
}

void Failures::out_of_range(const Place& place, const Node& node, bool too_small) {
  const double bound = too_small ? *node.min : *node.max;
  const std::string_view relation = node.min == node.max ? "exactly"
                                    : too_small          ? "at least"
                                                         : "at most";
  const std::string_view plural = bound == 1 ? "" : "s";
  switch (info(node.kind).range) {
    case RangeOf::length:
      add(place,
          fmt::format("must be {} {} character{} long", relation, bound_text(bound), plural));
      break;
    case RangeOf::count:
      add(place, fmt::format("must have {} {} item{}", relation, bound_text(bound), plural));
      break;
    case RangeOf::value:
    case RangeOf::nothing:
      add(place, fmt::format("must be {} {}", relation, bound_text(bound)));
      break;
  }
}

void Failures::number_too_large(const Place& place, const Node& node) {
  add(place, node.kind == Kind::integer
                 ? "must be an integer from -9223372036854775808 to 9223372036854775807"
                 : "must be a number below 1.8e308 in magnitude");
}

void Failures::not_utf8(const Place& place) { add(place, "must be UTF-8 text"); }

void Failures::nested_too_deep(const Place& place, std::size_t levels) {
  add(place, fmt::format("must be nested at most {} levels deep", levels));
}

}  // namespace fw::schema
