#include "schema/field_errors.hpp"

#include <fmt/format.h>

#include "schema/kinds.hpp"

namespace fw::schema {
namespace {

/// The key of a rule in locale files, documented in docs/i18n.md.
std::string key_of(std::string_view rule) { return std::string("validation.").append(rule); }

/// The maximum length of a path in bytes.
constexpr std::size_t kMaxFieldLength = 1000;

void append_field(std::string& text, const ValuePath& path) {
  if (!path.parent) return;
  append_field(text, *path.parent);
  if (text.size() > kMaxFieldLength) return;
  if (path.parent->parent) text += '/';
  if (path.name.data()) {
    text += path.name.substr(0, kMaxFieldLength + 1);
  } else {
    text += std::to_string(path.index);
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

/// "an integer or an array"
void append_demands(std::string& text, const Node& alternatives) {
  for (const Node& each : alternatives.alternatives) {
    const Node& type = resolved(each);
    if (type.kind == Kind::one_of) {
      append_demands(text, type);
      continue;
    }
    if (!text.empty()) text += " or ";
    text += type.kind == Kind::enumeration ? "one of " + joined(type.values)
                                           : std::string(info(type.kind).demand);
  }
}

}  // namespace

std::string ValuePath::field() const {
  if (!parent) return "value";
  std::string text;
  append_field(text, *this);
  if (text.size() > kMaxFieldLength) {
    std::size_t end = kMaxFieldLength;
    const auto is_inside_code_point = [&] {
      return (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U;
    };
    while (end > 0 && is_inside_code_point()) --end;
    text.replace(end, std::string::npos, "…");
  }
  return text;
}

void FieldErrors::add(const ValuePath& path, std::string_view rule, const std::string& problem,
                      nlohmann::json params) {
  if (full()) return;
  std::string field = path.field();
  std::string message = field + ' ' + problem;
  list_.push_back({std::move(field), std::move(message), key_of(rule), std::move(params)});
}

void FieldErrors::missing(const ValuePath& path, std::size_t position) {
  if (full()) return;
  std::string field = path.field();
  std::string message = field + " is required";
  list_.insert(list_.begin() + static_cast<std::ptrdiff_t>(position),
               FieldError{std::move(field), std::move(message), key_of("required"), nullptr});
}

void FieldErrors::media_type(const ValuePath& path) {
  add(path, "mediaType", "must be sent as application/json or application/x-www-form-urlencoded");
}

void FieldErrors::wrong_type(const ValuePath& path, const Node& node) {
  // Alternatives that a member tells apart are objects.
  const bool is_object = node.kind == Kind::one_of && !node.discriminator.empty();
  const KindInfo& kind = info(is_object ? Kind::object : node.kind);
  const std::string rule = "type." + std::string(kind.name);
  if (node.kind == Kind::enumeration) {
    const std::string values = joined(node.values);
    add(path, rule, "must be one of " + values, {{"values", values}});
  } else if (node.kind == Kind::one_of && node.discriminator.empty()) {
    std::string types;
    append_demands(types, node);
    add(path, rule, "must be " + types, {{"types", types}});
  } else {
    add(path, rule, fmt::format("must be {}", kind.demand));
  }
}

void FieldErrors::out_of_range(const ValuePath& path, const Node& node, bool too_small) {
  const double bound = too_small ? *node.min : *node.max;
  const bool is_exact = node.min == node.max;
  const std::string_view relation = is_exact ? "exactly" : too_small ? "at least" : "at most";
  const std::string_view plural = bound == 1 ? "" : "s";
  const std::string_view limit = is_exact ? "exact" : too_small ? "minimum" : "maximum";
  nlohmann::json params;
  if (node.min) params["minimum"] = bound_text(*node.min);
  if (node.max) params["maximum"] = bound_text(*node.max);
  const auto report = [&](std::string_view measure, const std::string& problem) {
    add(path, fmt::format("{}.{}", measure, limit), problem, std::move(params));
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

void FieldErrors::no_match(const ValuePath& path, const Node& node) {
  add(path, "pattern", fmt::format("must match /{}/", node.pattern), {{"pattern", node.pattern}});
}

void FieldErrors::equal_items(const ValuePath& path) {
  add(path, "unique", "must not have equal items");
}

void FieldErrors::number_too_large(const ValuePath& path, const Node& node) {
  if (node.kind == Kind::integer) {
    const std::string_view least = node.is_unsigned ? "0" : "-9223372036854775808";
    const std::string_view most = node.is_unsigned ? "18446744073709551615" : "9223372036854775807";
    add(path, "range.integer", fmt::format("must be an integer from {} to {}", least, most),
        {{"minimum", least}, {"maximum", most}});
  } else {
    add(path, "range.number", "must be a number below 1.8e308 in magnitude",
        {{"minimum", "-1.8e308"}, {"maximum", "1.8e308"}});
  }
}

void FieldErrors::outside_type(const ValuePath& path) {
  add(path, "range.type", "is outside the range of its type");
}

void FieldErrors::not_utf8(const ValuePath& path) { add(path, "encoding", "must be UTF-8 text"); }

void FieldErrors::nested_too_deep(const ValuePath& path, std::size_t levels) {
  add(path, "depth", fmt::format("must be nested at most {} levels deep", levels),
      {{"maximum", std::to_string(levels)}});
}

}  // namespace fw::schema
