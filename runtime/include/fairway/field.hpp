// fw::Field<"integer:1-100">: a value that a string of the schema language describes
// (docs/validation.md).
#pragma once

#include <fairway/fixed_text.hpp>
#include <fairway/generated/json_reader.hpp>
#include <fairway/generated/schema_kind.hpp>
#include <fairway/json_fwd.hpp>
#include <fairway/json_literal.hpp>
#include <fairway/json_members.hpp>
#include <fairway/schema_parts.hpp>

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace fw {

namespace schema {
class Pattern;
}

namespace detail {

/// What a string of the schema language says, as views of it. runtime/schema/parse.cpp has the
/// grammar; the route compiler reports errors in it where they are.
struct FieldSpec {
  enum class Error { none, unknown_type, is_optional, other };

  schema::Kind kind = schema::Kind::any;
  Error error = Error::none;
  std::string_view least = {};    ///< a bound; empty: none
  std::string_view most = {};     ///< the same
  std::string_view pattern = {};  ///< a regular expression; empty: none
  std::string_view values = {};   ///< of an enumeration, with their commas
  std::string_view item = {};     ///< the type of the items of an array; empty: any
  std::optional<std::string_view> default_value = {};
};

constexpr std::size_t length_of_bound(std::string_view text) {
  const auto end_of_digits = [text](std::size_t at) {
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at;
  };
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  const std::size_t whole = end_of_digits(first);
  if (whole == first) return 0;
  if (whole == text.size() || text[whole] != '.') return whole;
  const std::size_t end = end_of_digits(whole + 1);
  return end == whole + 1 ? whole : end;
}

constexpr bool is_bound(std::string_view text) {
  return !text.empty() && length_of_bound(text) == text.size();
}

/// "5", "5-", "-5" and "5-10"
constexpr void parse_range(std::string_view range, FieldSpec& spec) {
  const std::size_t first = length_of_bound(range);
  if (first > 0 && first == range.size() && range.front() != '-') {
    spec.least = spec.most = range;
  } else if (first > 0 && first < range.size() && range[first] == '-') {
    spec.least = range.substr(0, first);
    spec.most = range.substr(first + 1);
    if (!spec.most.empty() && !is_bound(spec.most)) spec.error = FieldSpec::Error::other;
  } else if (range.starts_with('-') && is_bound(range.substr(1))) {
    spec.most = range.substr(1);
  } else {
    spec.error = FieldSpec::Error::other;
  }
}

/// The type, without a suffix and a default.
constexpr FieldSpec parse_field_type(std::string_view text) {
  FieldSpec spec;
  const auto fail = [&spec](FieldSpec::Error error) {
    spec.error = error;
    return spec;
  };
  const std::string_view name = text.substr(0, text.find_first_of(":<>?!"));
  std::string_view rest = text.substr(name.size());
  std::size_t kind = 0;
  while (kind < std::size(schema::kKindNames) && schema::kKindNames[kind] != name) ++kind;
  if (kind == std::size(schema::kKindNames)) return fail(FieldSpec::Error::unknown_type);
  spec.kind = static_cast<schema::Kind>(kind);
  if (spec.kind == schema::Kind::enumeration) {
    if (rest.size() < 2 || rest.front() != ':') return fail(FieldSpec::Error::other);
    spec.values = rest.substr(1);
    return spec;
  }
  if (rest.starts_with('<')) {
    std::size_t end = 0;
    for (int open = 0; end < rest.size(); ++end) {
      if (rest[end] == '<') ++open;
      if (rest[end] == '>' && --open == 0) break;
    }
    if (spec.kind != schema::Kind::array || end == rest.size() || end == 1) {
      return fail(FieldSpec::Error::other);
    }
    spec.item = rest.substr(1, end - 1);
    if (const FieldSpec item = parse_field_type(spec.item); item.error != FieldSpec::Error::none) {
      return fail(item.error);
    }
    rest.remove_prefix(end + 1);
  }
  if (rest.empty()) return spec;
  if (rest.size() < 2 || rest.front() != ':') return fail(FieldSpec::Error::other);
  rest.remove_prefix(1);
  if (const std::size_t slash = rest.find('/');
      spec.kind == schema::Kind::string && slash != rest.npos) {
    spec.pattern = rest.substr(slash);
    if (spec.pattern.size() < 3 || spec.pattern.back() != '/') {
      return fail(FieldSpec::Error::other);
    }
    spec.pattern = spec.pattern.substr(1, spec.pattern.size() - 2);
    rest = rest.substr(0, slash);
    if (rest.empty()) return spec;
  }
  parse_range(rest, spec);
  return spec;
}

constexpr FieldSpec parse_field(std::string_view text) {
  const std::size_t equals = sign_of_default(text);
  std::string_view type = text.substr(0, equals);
  if (equals == text.npos && type.ends_with('!')) type.remove_suffix(1);
  if (type.ends_with('?')) {
    FieldSpec spec = parse_field_type(type.substr(0, type.size() - 1));
    spec.error = FieldSpec::Error::is_optional;
    return spec;
  }
  FieldSpec spec = parse_field_type(type);
  if (equals != text.npos) {
    spec.default_value = text.substr(equals + 1);
    if (spec.kind == schema::Kind::enumeration) {
      spec.default_value = without_blanks(*spec.default_value);
      if (!lists(spec.values, *spec.default_value)) spec.error = FieldSpec::Error::other;
    }
  }
  return spec;
}

/// An integer in plain digits; nothing for other notations.
constexpr std::optional<std::int64_t> plain_integer(std::string_view text) {
  constexpr std::size_t kMaxDigits = 18;
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  if (text.empty() || text.size() > kMaxDigits) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return is_negative ? -value : value;
}

/// The number of a bound.
double number_of_bound(std::string_view text);
/// @{
/// The default value of the DSL.
Json default_of(std::string_view dsl);
std::int64_t default_integer_of(std::string_view dsl);
double default_number_of(std::string_view dsl);
bool default_boolean_of(std::string_view dsl);
/// @}

template <class T>
T read_default(std::string_view dsl) {
  if constexpr (std::same_as<T, std::int64_t>) {
    return default_integer_of(dsl);
  } else if constexpr (std::same_as<T, double>) {
    return default_number_of(dsl);
  } else if constexpr (std::same_as<T, bool>) {
    return default_boolean_of(dsl);
  } else {
    JsonFor<T> (*const tree)(std::string_view) = default_of;
    return tree(dsl).template get<T>();
  }
}
/// Whether the number of code points is within the bounds; false for invalid UTF-8.
bool has_length(std::string_view text, Range<std::size_t> length);
/// Whether the string has the format, such as `Kind::email`.
bool has_format(std::string_view text, schema::Kind format);
/// @{
/// Throws std::invalid_argument with the rule that the value violates.
[[noreturn]] void throw_invalid_field(std::string_view dsl, const Json& value);
[[noreturn]] void throw_invalid_text(std::string_view dsl, const std::string& value);
[[noreturn]] void throw_invalid_integer(std::string_view dsl, std::int64_t value);
[[noreturn]] void throw_invalid_integer(std::string_view dsl, std::uint64_t value);
[[noreturn]] void throw_invalid_number(std::string_view dsl, double value);
/// @}
/// The same for a value that was read from JSON: throws Json::out_of_range.
[[noreturn]] void throw_unfit_field(std::string_view dsl, const Json& value);

template <class T>
[[noreturn]] void throw_invalid(std::string_view dsl, const T& value) {
  if constexpr (std::same_as<T, std::string>) {
    throw_invalid_text(dsl, value);
  } else if constexpr (std::same_as<T, double>) {
    throw_invalid_number(dsl, value);
  } else if constexpr (std::same_as<T, Json>) {
    throw_invalid_field(dsl, value);
  } else if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    using Wide = std::conditional_t<std::signed_integral<T>, std::int64_t, std::uint64_t>;
    throw_invalid_integer(dsl, static_cast<Wide>(value));
  } else if constexpr (InlineJson<T>) {
    throw_invalid_field(dsl, JsonItem(value).tree());
  } else {
    throw_invalid_field(dsl, JsonFor<T>(value));
  }
}

/// A compiled regular expression.
class FieldPattern {
 public:
  /// Throws std::invalid_argument for an expression that is not supported.
  explicit FieldPattern(std::string_view text);
  bool matches(const std::string& text) const;

 private:
  std::shared_ptr<const schema::Pattern> pattern_;
};

template <class Number>
constexpr Range<Number> whole_range(const FieldSpec& spec) {
  Range<Number> range;
  if (const auto least = plain_integer(spec.least)) range.least = static_cast<Number>(*least);
  if (const auto most = plain_integer(spec.most)) range.most = static_cast<Number>(*most);
  return range;
}

/// The type of a value: a string, unless a specialisation says otherwise.
template <schema::Kind kKind, class Items, bool kHasItems>
struct FieldValueType : std::type_identity<std::string> {};
template <class Items>
struct FieldValueType<schema::Kind::integer, Items, false> : std::type_identity<std::int64_t> {};
template <class Items>
struct FieldValueType<schema::Kind::number, Items, false> : std::type_identity<double> {};
template <class Items>
struct FieldValueType<schema::Kind::boolean, Items, false> : std::type_identity<bool> {};
template <class Items>
struct FieldValueType<schema::Kind::any, Items, false> : std::type_identity<Json> {};
template <class Items>
struct FieldValueType<schema::Kind::null, Items, false> : std::type_identity<Json> {};
template <class Items>
struct FieldValueType<schema::Kind::object, Items, false> : std::type_identity<Json> {};
template <class Items>
struct FieldValueType<schema::Kind::array, Items, false> : std::type_identity<std::vector<Json>> {};
template <class Items>
struct FieldValueType<schema::Kind::array, Items, true>
    : std::type_identity<std::vector<typename Items::Value>> {};

/// The value and the rules of the part of a DSL string that begins at `kBegin`.
template <FixedText kText, std::size_t kBegin, std::size_t kSize>
struct FieldRules {
  static constexpr FieldSpec kSpec = kBegin == 0 && kSize == kText.view().size()
                                         ? parse_field(kText.view())
                                         : parse_field_type(kText.view().substr(kBegin, kSize));
  static constexpr schema::Kind kKind = kSpec.kind;

  static constexpr std::size_t kItemBegin =
      kSpec.item.empty() ? 0 : static_cast<std::size_t>(kSpec.item.data() - kText.view().data());
  /// The rules of the items of an array that declares them.
  using Items = FieldRules<kText, kItemBegin, kSpec.item.size()>;
  using Value = typename FieldValueType<kKind, Items, !kSpec.item.empty()>::type;

  /// Of an integer.
  static constexpr Range<std::int64_t> kIntegers = whole_range<std::int64_t>(kSpec);
  /// The length of a string, the number of items of an array.
  static constexpr Range<std::size_t> kCount = whole_range<std::size_t>(kSpec);
  /// Of a number.
  static Range<double> numbers() {
    if constexpr (kSpec.least.empty() && kSpec.most.empty()) {
      return {};
    } else {
      static const Range<double> range = [] {
        Range<double> made;
        if (!kSpec.least.empty()) made.least = number_of_bound(kSpec.least);
        if (!kSpec.most.empty()) made.most = number_of_bound(kSpec.most);
        return made;
      }();
      return range;
    }
  }
  static constexpr bool kHasLength = !kSpec.least.empty() || !kSpec.most.empty();

  static bool matches_pattern(const std::string& value) {
    static const FieldPattern pattern(kSpec.pattern);
    return pattern.matches(value);
  }

  /// Whether the value satisfies the rules.
  static bool accepts(const Value& value) {
    if constexpr (kKind == schema::Kind::integer) {
      return kIntegers.contains(value);
    } else if constexpr (kKind == schema::Kind::number) {
      return numbers().contains(value);
    } else if constexpr (kKind == schema::Kind::null) {
      return value.is_null();
    } else if constexpr (kKind == schema::Kind::object) {
      return value.is_object();
    } else if constexpr (kKind == schema::Kind::any || kKind == schema::Kind::boolean) {
      return true;
    } else if constexpr (kKind == schema::Kind::array) {
      if (!kCount.contains(value.size())) return false;
      if constexpr (!kSpec.item.empty()) {
        for (const auto& item : value) {
          if (!Items::accepts(item)) return false;
        }
      }
      return true;
    } else if constexpr (kKind == schema::Kind::enumeration) {
      return lists(kSpec.values, value);
    } else if constexpr (kKind == schema::Kind::string) {
      if constexpr (kHasLength) {
        if (!has_length(value, kCount)) return false;
      }
      if constexpr (!kSpec.pattern.empty()) return matches_pattern(value);
      return true;
    } else {
      return has_format(value, kKind);
    }
  }

  /// The default, or the value of `{}`, which need not satisfy the rules.
  static Value initial() {
    if constexpr (!kSpec.default_value) {
      return Value{};
    } else if constexpr (std::same_as<Value, std::string>) {
      return std::string(*kSpec.default_value);
    } else if constexpr (std::same_as<Value, std::int64_t> && plain_integer(*kSpec.default_value)) {
      return *plain_integer(*kSpec.default_value);
    } else {
      static const Value value = read_default<Value>(kText.view());
      return value;
    }
  }
};

template <class T>
inline constexpr bool kIsField = false;

template <class T>
inline constexpr bool kIsNumber = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

/// Whether a field is compared with a value of this type as its own value is.
template <class Other, class Value>
constexpr bool compares_with_field() {
  if constexpr (kIsField<Other>) {
    return false;
  } else if constexpr (kIsNumber<Value>) {
    return kIsNumber<Other> && (std::integral<Other> || !std::integral<Value>);
  } else if constexpr (std::same_as<Value, std::string>) {
    return std::convertible_to<const Other&, std::string_view>;
  } else {
    return std::same_as<Other, Value>;
  }
}

/// Whether a field is made from a value of this type by conversion. Lists and JSON are not
/// converted.
template <class From, class Value>
constexpr bool makes_field() {
  using Plain = std::remove_cvref_t<From>;
  if constexpr (kIsField<Plain> || std::same_as<Plain, Json>) {
    return false;
  } else if constexpr (std::same_as<Value, bool>) {
    return std::same_as<Plain, bool>;
  } else if constexpr (std::same_as<Value, std::int64_t>) {
    return kIsNumber<Plain> && std::integral<Plain>;
  } else if constexpr (std::same_as<Value, double>) {
    return kIsNumber<Plain>;
  } else if constexpr (std::same_as<Value, std::string>) {
    return std::convertible_to<From, std::string> || std::convertible_to<From, std::string_view>;
  } else {
    return false;
  }
}

template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;

}  // namespace detail

/// A value with the type and the rules of a string of the schema language: std::int64_t for
/// `integer`, double for `number`, bool for `boolean`, std::string for `string`, its formats and
/// `enum`, std::vector for `array` and fw::Json for `any`. A field that is made without a value has
/// the default of the string ("integer=20"), or the value of `{}`, which is not checked.
template <detail::FixedText kText>
class Field {
  using Rules = detail::FieldRules<kText, 0, kText.view().size()>;
  using Error = detail::FieldSpec::Error;

#ifndef FAIRWAY_ROUTE_COMPILER  // the route compiler shows where in the string the error is
  static_assert(Rules::kSpec.error != Error::unknown_type,
                "fw::Field: the string begins with an unknown type; docs/validation.md lists them");
  static_assert(Rules::kSpec.error != Error::is_optional,
                "fw::Field: a field that may be absent has no '?' but is a std::optional: "
                "std::optional<fw::Field<\"string\">>");
  static_assert(Rules::kSpec.error != Error::other,
                "fw::Field: the string is not valid; docs/validation.md has the syntax");
#endif

 public:
  /// What the field contains.
  using value_type = typename Rules::Value;

  /// The string of the schema language.
  static constexpr std::string_view dsl() { return kText.view(); }

  Field() : value_(Rules::initial()) {}
  /// @{
  /// This value. Throws std::invalid_argument if it violates the rules.
  template <class From>
    requires(detail::makes_field<From, value_type>())
  Field(From&& value) : value_(convert(std::forward<From>(value))) {
    check();
  }
  Field(value_type value)
    requires std::same_as<value_type, Json> || detail::kIsList<value_type>
      : value_(std::move(value)) {
    check();
  }
  template <detail::FixedText kOther>
    requires std::same_as<typename Field<kOther>::value_type, value_type>
  Field(const Field<kOther>& other) : value_(other.value()) {
    check();
  }
  /// @}

  /// @{
  /// The value.
  const value_type& value() const& { return value_; }
  value_type value() && { return std::move(value_); }
  operator const value_type&() const { return value_; }
  const value_type* operator->() const { return &value_; }
  operator std::string_view() const
    requires std::same_as<value_type, std::string>
  {
    return value_;
  }
  /// @}

  friend bool operator==(const Field& a, const Field& b) { return a.value_ == b.value_; }
  friend auto operator<=>(const Field& a, const Field& b)
    requires std::three_way_comparable<value_type>
  {
    return a.value_ <=> b.value_;
  }
  /// @{
  /// As the values compare.
  template <detail::FixedText kOther>
    requires(!std::same_as<Field<kOther>, Field>) &&
            std::same_as<typename Field<kOther>::value_type, value_type>
  friend bool operator==(const Field& a, const Field<kOther>& b) {
    return a.value_ == b.value();
  }
  template <detail::FixedText kOther>
    requires(!std::same_as<Field<kOther>, Field>) &&
            std::same_as<typename Field<kOther>::value_type, value_type> &&
            std::three_way_comparable<value_type>
  friend auto operator<=>(const Field& a, const Field<kOther>& b) {
    return a.value_ <=> b.value();
  }
  template <class Other>
    requires(detail::compares_with_field<Other, value_type>())
  friend bool operator==(const Field& field, const Other& other) {
    return compared(field) == compared(other);
  }
  template <class Other>
    requires(detail::compares_with_field<Other, value_type>()) &&
            std::three_way_comparable<value_type>
  friend auto operator<=>(const Field& field, const Other& other) {
    return compared(field) <=> compared(other);
  }
  /// @}

  /// @{
  /// Conversions of fw::Json. `from_json` throws Json::exception for a value of another type, or
  /// one that violates the rules.
  friend void to_json(Json& json, const Field& field) {
    static_cast<detail::JsonFor<value_type>&>(json) = field.value_;
  }
  friend void from_json(const Json& json, Field& field) {
    using Tree = detail::JsonFor<value_type>;
    auto read = static_cast<const Tree&>(json).template get<value_type>();
    if (!Rules::accepts(read)) detail::throw_unfit_field(dsl(), json);
    field.value_ = std::move(read);
  }
  /// @}

 private:
  friend struct detail::WrappedJson<Field>;

  template <class From>
  static value_type convert(From&& value) {
    if constexpr (std::same_as<value_type, std::int64_t>) {
      if (!std::in_range<std::int64_t>(value)) detail::throw_invalid(dsl(), value);
      return static_cast<std::int64_t>(value);
    } else if constexpr (std::same_as<value_type, double>) {
      return static_cast<double>(value);
    } else if constexpr (std::same_as<value_type, std::string> &&
                         !std::convertible_to<From, std::string>) {
      return std::string(std::string_view(value));
    } else {
      return std::forward<From>(value);
    }
  }

  static decltype(auto) compared(const auto& value) {
    if constexpr (std::same_as<value_type, std::string>) {
      return std::string_view(value);
    } else if constexpr (detail::kIsField<std::remove_cvref_t<decltype(value)>>) {
      return (value.value_);
    } else {
      return (value);
    }
  }

  void check() const {
    if (!Rules::accepts(value_)) detail::throw_invalid(dsl(), value_);
  }

  value_type value_;
};

namespace detail {

template <FixedText kText>
inline constexpr bool kIsField<Field<kText>> = true;

template <FixedText kText>
struct WrappedJson<Field<kText>> {
  using Rules = FieldRules<kText, 0, kText.view().size()>;
  using Value = typename Rules::Value;

  static const Value& value(const Field<kText>& field) { return field.value_; }
  /// For readers, which check the rules.
  static Value& unchecked(Field<kText>& field) { return field.value_; }
  static bool assign(Field<kText>& field, Value&& value) {
    if (!Rules::accepts(value)) return false;
    field.value_ = std::move(value);
    return true;
  }
};

}  // namespace detail

}  // namespace fw

/// Of the value.
template <fw::detail::FixedText kText>
struct std::hash<fw::Field<kText>> {
  std::size_t operator()(const fw::Field<kText>& field) const noexcept {  ///< of the value
    return std::hash<typename fw::Field<kText>::value_type>()(field.value());
  }
};
