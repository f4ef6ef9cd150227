// Validation and conversion. The input is converted in place.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/strings.hpp"
#include "schema/convert.hpp"
#include "schema/field_errors.hpp"
#include "schema/kinds.hpp"
#include "schema/pattern.hpp"

namespace fw::schema {
namespace {

using nlohmann::json;

// Copying and writing a JSON value recurses once for each level of nesting; the limit prevents a
// stack overflow.
constexpr std::size_t kDeepestInput = 512;

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
      return !whole || is_integer(value) ? Conversion::done : Conversion::out_of_range;
    }
    if (value.is_number_float()) {
      const auto number = value.get<json::number_float_t>();
      if (whole) return to_integer(number, value);
      return std::isfinite(number) ? Conversion::done : Conversion::out_of_range;
    }
    if (!value.is_string()) return Conversion::not_a_number;
    json converted;
    const auto& text = value.get_ref<const json::string_t&>();
    const Conversion result = whole ? to_integer(text, converted) : to_number(text, converted);
    if (result == Conversion::done) value = std::move(converted);
    return result;
  }

  void check_array(const Node& node, json& value, const ValuePath& path) {
    if (!value.is_array()) return errors_.wrong_type(path, node);
    check_range(node, static_cast<long double>(value.size()), path);
    if (!node.items) return;
    for (std::size_t i = 0; i < value.size() && !errors_.full(); ++i) {
      check(*node.items, value[i], ValuePath(path, i));
    }
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
  } else if (is_deeper_than(input, kDeepestInput)) {
    errors.nested_too_deep(root, kDeepestInput);
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
