// Validation and conversion. The input is converted in place.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.hpp"
#include "schema/convert.hpp"
#include "schema/field_errors.hpp"
#include "schema/kinds.hpp"
#include "schema/pattern.hpp"

namespace fw::schema {
namespace {

using nlohmann::json;

// Copying and writing a JSON value recurses once for each level of nesting; the limit prevents a
// stack overflow.
constexpr std::size_t kMaxInputDepth = 512;

bool is_deeper_than(const json& value, std::size_t levels) {
  if (!value.is_structured()) return false;
  if (levels == 0) return true;
  const auto is_too_deep = [&](const json& member) {
    return member.is_structured() && is_deeper_than(member, levels - 1);
  };
  if (value.is_array()) {
    return std::ranges::any_of(value.get_ref<const json::array_t&>(), is_too_deep);
  }
  return std::ranges::any_of(value.get_ref<const json::object_t&>(), is_too_deep,
                             [](const auto& member) -> const json& { return member.second; });
}

/// Whether a schema accepts the JSON type of a value. The rest of the schema may still reject it.
bool has_json_type(const Node& node, const json& value) {
  const Node& type = resolved(node);
  switch (type.kind) {
    case Kind::any:
      return true;
    case Kind::null:
      return value.is_null();
    case Kind::number:
    case Kind::integer:
      return value.is_number();
    case Kind::boolean:
      return value.is_boolean();
    case Kind::array:
      return value.is_array();
    case Kind::object:
    case Kind::map:
      return value.is_object();
    case Kind::one_of:
      return std::ranges::any_of(type.alternatives, [&](const Node& alternative) {
        return has_json_type(alternative, value);
      });
    default:  // a string, an enumeration or a string format
      return value.is_string();
  }
}

Largest largest_of(const Node& node) {
  return node.is_unsigned ? Largest::of_unsigned : Largest::of_signed;
}

/// Whether a schema accepts a string as a boolean or a number.
bool accepts_as_text(const Node& node, const std::string& text) {
  const Node& type = resolved(node);
  json converted;
  switch (type.kind) {
    case Kind::number:
      return to_number(text, converted) == Conversion::done;
    case Kind::integer:
      return to_integer(text, converted, largest_of(type)) == Conversion::done;
    case Kind::boolean:
      return to_boolean(text).has_value();
    case Kind::one_of:
      return std::ranges::any_of(type.alternatives, [&](const Node& alternative) {
        return accepts_as_text(alternative, text);
      });
    default:
      return false;
  }
}

/// Adds the values of the discriminator that select an alternative.
void append_values(const Node& alternative, const std::string& discriminator,
                   std::vector<std::string>& values) {
  const Node& type = resolved(alternative);
  for (const Node& inner : type.alternatives) append_values(inner, discriminator, values);
  for (const Field& field : type.fields) {
    if (field.name != discriminator) continue;
    const Node& member = resolved(field.node);
    values.insert(values.end(), member.values.begin(), member.values.end());
  }
}

bool has_equal_items(const json& array) {
  const auto is_less = [](const json* one, const json* other) { return *one < *other; };
  std::vector<const json*> items;
  items.reserve(array.size());
  for (const json& item : array) items.push_back(&item);
  std::ranges::sort(items, is_less);
  return std::ranges::adjacent_find(items, [](const json* one, const json* other) {
           return *one == *other;
         }) != items.end();
}

class Checker {
 public:
  Checker(Source source, FieldErrors& errors) : source_(source), errors_(errors) {}

  void check(const Node& node, json& value, const ValuePath& path) {
    switch (node.kind) {
      case Kind::any:
        return;
      case Kind::null:
        if (!value.is_null()) errors_.wrong_type(path, node);
        return;
      case Kind::string:
        return check_string(node, value, path);
      case Kind::number:
      case Kind::integer:
        return check_number(node, value, path);
      case Kind::boolean:
        return check_boolean(node, value, path);
      case Kind::enumeration:
        return check_enumeration(node, value, path);
      case Kind::array:
        return check_array(node, value, path);
      case Kind::object:
        return check_object(node, value, path);
      case Kind::map:
        return check_map(node, value, path);
      case Kind::one_of:
        return check_one_of(node, value, path);
      case Kind::reference:
        return check(resolved(node), value, path);
      default:  // a string format
        return check_format(node, value, path);
    }
  }

 private:
  // On platforms with extended precision, `size` is exact for every integer and every double.
  void check_range(const Node& node, long double size, const ValuePath& path) {
    if (node.min && size < static_cast<long double>(*node.min)) {
      errors_.out_of_range(path, node, true);
    } else if (node.max && size > static_cast<long double>(*node.max)) {
      errors_.out_of_range(path, node, false);
    }
  }

  void check_string(const Node& node, const json& value, const ValuePath& path) {
    if (!value.is_string()) return errors_.wrong_type(path, node);
    // JSON was checked for UTF-8 when it was parsed; strings of other sources may contain any
    // bytes.
    if (source_ == Source::json && !node.min && !node.max && !node.expression) return;
    const base::CodePoints points = base::count_code_points(value.get_ref<const json::string_t&>());
    if (!points.well_formed) return errors_.not_utf8(path);
    check_range(node, static_cast<long double>(points.count), path);
    if (node.expression && !node.expression->matches(value.get_ref<const json::string_t&>())) {
      errors_.no_match(path, node);
    }
  }

  void check_format(const Node& node, const json& value, const ValuePath& path) {
    if (!value.is_string() || !info(node.kind).has_format(value.get_ref<const json::string_t&>())) {
      errors_.wrong_type(path, node);
    }
  }

  void check_enumeration(const Node& node, const json& value, const ValuePath& path) {
    if (!value.is_string() ||
        std::ranges::find(node.values, value.get_ref<const json::string_t&>()) ==
            node.values.end()) {
      errors_.wrong_type(path, node);
    }
  }

  void check_boolean(const Node& node, json& value, const ValuePath& path) {
    if (value.is_boolean()) return;
    const auto converted =
        value.is_string() ? to_boolean(value.get_ref<const json::string_t&>()) : std::nullopt;
    if (!converted) return errors_.wrong_type(path, node);
    value = *converted;
  }

  void check_number(const Node& node, json& value, const ValuePath& path) {
    switch (convert_number(node, value)) {
      case Conversion::not_a_number:
      case Conversion::not_whole:
        return errors_.wrong_type(path, node);
      case Conversion::out_of_range:
        return errors_.number_too_large(path, node);
      case Conversion::done:
        break;
    }
    if (value.is_number_unsigned()) {
      check_range(node, static_cast<long double>(value.get<json::number_unsigned_t>()), path);
    } else if (value.is_number_integer()) {
      check_range(node, static_cast<long double>(value.get<json::number_integer_t>()), path);
    } else {
      check_range(node, static_cast<long double>(value.get<json::number_float_t>()), path);
    }
  }

  static Conversion convert_number(const Node& node, json& value) {
    const bool whole = node.kind == Kind::integer;
    if (value.is_number_integer()) {
      return !whole || is_integer(value, largest_of(node)) ? Conversion::done
                                                           : Conversion::out_of_range;
    }
    if (value.is_number_float()) {
      const auto number = value.get<json::number_float_t>();
      if (whole) return to_integer(number, value, largest_of(node));
      return std::isfinite(number) ? Conversion::done : Conversion::out_of_range;
    }
    if (!value.is_string()) return Conversion::not_a_number;
    json converted;
    const auto& text = value.get_ref<const json::string_t&>();
    const Conversion result =
        whole ? to_integer(text, converted, largest_of(node)) : to_number(text, converted);
    if (result == Conversion::done) value = std::move(converted);
    return result;
  }

  void check_array(const Node& node, json& value, const ValuePath& path) {
    if (!value.is_array()) return errors_.wrong_type(path, node);
    check_range(node, static_cast<long double>(value.size()), path);
    if (node.items) {
      for (std::size_t i = 0; i < value.size() && !errors_.full(); ++i) {
        check(*node.items, value[i], ValuePath(path, i));
      }
    }
    // Items that the conversion made equal count.
    if (node.unique_items && has_equal_items(value)) errors_.equal_items(path);
  }

  void check_map(const Node& node, json& value, const ValuePath& path) {
    if (!value.is_object()) return errors_.wrong_type(path, node);
    for (auto& [name, member] : value.get_ref<json::object_t&>()) {
      if (errors_.full()) return;
      const ValuePath member_path(path, name);
      if (source_ == Source::text && !base::count_code_points(name).well_formed) {
        errors_.not_utf8(member_path);
      } else {
        check(*node.items, member, member_path);
      }
    }
  }

  void check_one_of(const Node& node, json& value, const ValuePath& path) {
    const Node* const alternative = node.discriminator.empty()
                                        ? find_by_type(node, value)
                                        : find_by_discriminator(node, value, path);
    if (alternative != nullptr) {
      check(*alternative, value, path);
    } else if (node.discriminator.empty()) {
      errors_.wrong_type(path, node);
    }
  }

  /// The alternative for the JSON type of a value. A string may be converted: the strings of a
  /// request's head have no other type.
  const Node* find_by_type(const Node& node, const json& value) const {
    const auto same_type = std::ranges::find_if(
        node.alternatives, [&](const Node& each) { return has_json_type(each, value); });
    const bool is_certain =
        same_type != node.alternatives.end() && (source_ == Source::json || !value.is_string());
    if (is_certain) return &*same_type;
    if (value.is_string()) {
      const auto converted = std::ranges::find_if(node.alternatives, [&](const Node& each) {
        return accepts_as_text(each, value.get_ref<const json::string_t&>());
      });
      if (converted != node.alternatives.end()) return &*converted;
    }
    return same_type == node.alternatives.end() ? nullptr : &*same_type;
  }

  /// Null after an error.
  const Node* find_by_discriminator(const Node& node, const json& value, const ValuePath& path) {
    if (!value.is_object()) {
      errors_.wrong_type(path, node);
      return nullptr;
    }
    const ValuePath member(path, node.discriminator);
    const auto found = value.find(node.discriminator);
    if (found == value.end()) {
      errors_.missing(member, errors_.size());
      return nullptr;
    }
    Node all;
    all.kind = Kind::enumeration;
    for (const Node& alternative : node.alternatives) {
      const std::size_t first = all.values.size();
      append_values(alternative, node.discriminator, all.values);
      const bool is_selected =
          found->is_string() &&
          std::find(all.values.begin() + static_cast<std::ptrdiff_t>(first), all.values.end(),
                    found->get_ref<const json::string_t&>()) != all.values.end();
      if (is_selected) return &alternative;
    }
    errors_.wrong_type(member, all);
    return nullptr;
  }

  void check_object(const Node& node, json& value, const ValuePath& path) {
    if (!value.is_object()) return errors_.wrong_type(path, node);
    // Missing members are reported before invalid ones, each group in the order of declaration.
    std::size_t next_missing = errors_.size();
    for (const Field& field : node.fields) {
      const ValuePath member(path, field.name);
      const auto found = value.find(field.name);
      if (found != value.end()) {
        check(field.node, *found, member);
      } else if (field.node.default_value) {
        value[field.name] = *field.node.default_value;
      } else if (field.node.required) {
        errors_.missing(member, next_missing++);
      }
    }
  }

  Source source_;
  FieldErrors& errors_;
};

/// Checks the depth before it copies anything.
template <class Input>
ValidationResult validate_input(const Node& object, Input&& input, Source source) {
  ValidationResult result;
  FieldErrors errors;
  const ValuePath root;
  if (input.is_null() && object.kind != Kind::any && object.kind != Kind::null) {
    if (object.required) errors.missing(root, 0);
  } else if (is_deeper_than(input, kMaxInputDepth)) {
    errors.nested_too_deep(root, kMaxInputDepth);
  } else {
    result.value = std::forward<Input>(input);
    Checker(source, errors).check(object, result.value, root);
  }
  result.errors = errors.take();
  return result;
}

}  // namespace

ValidationResult validate(const Node& object, const json& input, Source source) {
  return validate_input(object, input, source);
}

ValidationResult validate(const Node& object, json&& input, Source source) {
  return validate_input(object, std::move(input), source);
}

}  // namespace fw::schema
