// What generated code calls to read and write C++ types (docs/types.md). The code of a struct:
//
//   template <>
//   struct fw::detail::TypeCode<shop::Item> {
//     static void read(JsonReader& in, shop::Item& out);
//     static void read(FieldReader& in, shop::Item& out);  // if all members are scalars
//     static void write(JsonWriter& out, const shop::Item& value);
//   };
//   // after the declarations of all types:
//   void fw::detail::TypeCode<shop::Item>::read(JsonReader& in, shop::Item& out) {
//     static constexpr std::string_view kMembers[] = {"productId", "quantity"};
//     for (JsonObject object(in, kMembers, 0b01); object.next();) {
//       switch (object.member()) {
//         case 0:
//           read_member(in, out.product_id);
//           break;
//         case 1:
//           read_member(in, out.quantity);
//           break;
//       }
//     }
//   }
//   void fw::detail::TypeCode<shop::Item>::read(FieldReader& in, shop::Item& out) {
//     if (in.require("productId")) read_member(in, out.product_id);
//     if (in.find("quantity")) read_member(in, out.quantity);
//   }
//   void fw::detail::TypeCode<shop::Item>::write(JsonWriter& out, const shop::Item& value) {
//     out.raw(R"({"productId":)");
//     write_member(out, value.product_id);
//     if (value.quantity) {
//       out.member(R"("quantity":)");
//       write_member(out, *value.quantity);
//     }
//     out.raw("}");
//   }
//
// The code of an enumeration, and of a struct with members that have only one value, which
// distinguish the alternatives of a variant:
//
//   template <>
//   struct fw::detail::TypeCode<shop::Channel> {
//     static constexpr EnumName<shop::Channel> kValues[] = {{"web", shop::Channel::web}, …};
//   };
//   template <>
//   struct fw::detail::TypeCode<shop::Card> {
//     static constexpr LiteralMember kLiterals[] = {{"kind", "card"}};
//     …
//   };
//
// The row of a type that is a schema, and of a type that is only sent, or only part of others:
//
//   constinit const TypeRow kRow = type_row<shop::Item>("shop::Item", kSchema);
//   constinit const TypeRow kRow = nested_type_row<shop::Item>("shop::Item");
#pragma once

#include <fairway/field.hpp>
#include <fairway/generated/calendar.hpp>
#include <fairway/generated/field_reader.hpp>
#include <fairway/generated/json_reader.hpp>
#include <fairway/generated/typed.hpp>
#include <fairway/items.hpp>
#include <fairway/json_writer.hpp>
#include <fairway/literal.hpp>
#include <fairway/type_json.hpp>

#include <array>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <ratio>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace fw::detail {

/// The generated code of a struct or an enumeration: see the top of this file.
template <class T>
struct TypeCode;

/// An enumerator and its string.
template <class Enum>
struct EnumName {
  std::string_view name;
  Enum value;
};

/// A required member that has only one value.
struct LiteralMember {
  std::string_view name;
  std::string_view value;
};

template <class T>
concept HasLiterals = requires { TypeCode<T>::kLiterals; };

/// The code that generated code has written for the class.
template <class T>
concept GeneratedStruct = std::is_class_v<T> && requires(JsonWriter& out, const T& value) {
  TypeCode<T>::write(out, value);
};

// The JSON types of a C++ type, of which a variant reads the alternative.

template <class T>
inline constexpr JsonTypes kJsonTypes =
    std::same_as<T, bool>                             ? JsonTypes::boolean
    : std::is_arithmetic_v<T>                         ? JsonTypes::number
    : std::is_enum_v<T>                               ? JsonTypes::string
    : std::same_as<T, Json>                           ? JsonTypes::all
    : MapOfNames<T>                                   ? JsonTypes::object
    : std::convertible_to<const T&, std::string_view> ? JsonTypes::string
    : Iterable<T>                                     ? JsonTypes::array
                                                      : JsonTypes::object;
template <class Clock, class Duration>
inline constexpr JsonTypes kJsonTypes<std::chrono::time_point<Clock, Duration>> = JsonTypes::string;
template <FixedText kText>
inline constexpr JsonTypes kJsonTypes<Field<kText>> = kJsonTypes<typename Field<kText>::value_type>;
template <class T>
inline constexpr JsonTypes kJsonTypes<std::unique_ptr<T>> = kJsonTypes<T>;
template <class... Alternatives>
inline constexpr JsonTypes kJsonTypes<std::variant<Alternatives...>> =
    (kJsonTypes<Alternatives> | ...);

// Reading JSON. A container is overwritten.

/// The type as which an integer is read: std::uint64_t for the integers that std::int64_t does not
/// hold.
template <std::integral T>
using LargestOf = std::conditional_t<std::in_range<std::int64_t>(std::numeric_limits<T>::max()),
                                     std::int64_t, std::uint64_t>;

template <class T>
  requires std::is_arithmetic_v<T>
void read_member(JsonReader& in, T& out) {
  if constexpr (std::same_as<T, bool>) {
    in.boolean(out);
  } else if constexpr (std::same_as<T, double>) {
    in.number(out);
  } else if constexpr (std::floating_point<T>) {
    double number = 0;
    in.number(number);
    if (std::fabs(number) > static_cast<double>(std::numeric_limits<T>::max())) in.fail();
    out = static_cast<T>(number);
  } else if constexpr (std::same_as<T, std::int64_t>) {
    in.integer(out);
  } else {
    LargestOf<T> number = 0;
    in.integer(number);
    if (!std::in_range<T>(number)) in.fail();
    out = static_cast<T>(number);
  }
}

inline void read_member(JsonReader& in, std::string& out) { in.string(out); }
inline void read_member(JsonReader& in, Json& out) { in.tree(out); }

template <class T>
  requires std::is_enum_v<T>
void read_member(JsonReader& in, T& out) {
  static constexpr auto kNames = [] {
    std::array<std::string_view, std::size(TypeCode<T>::kValues)> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = TypeCode<T>::kValues[i].name;
    return names;
  }();
  out = TypeCode<T>::kValues[in.one_of(kNames.data(), kNames.size())].value;
}

template <GeneratedStruct T>
void read_member(JsonReader& in, T& out) {
  TypeCode<T>::read(in, out);
}

template <class T>
void read_member(JsonReader& in, std::vector<T>& out);
template <class T, std::size_t kSize>
void read_member(JsonReader& in, std::array<T, kSize>& out);
template <class T, class Compare>
void read_member(JsonReader& in, std::set<T, Compare>& out);
template <class T, class Hash, class Equal>
void read_member(JsonReader& in, std::unordered_set<T, Hash, Equal>& out);
template <class T, class Compare>
void read_member(JsonReader& in, std::map<std::string, T, Compare>& out);
template <class T, class Hash, class Equal>
void read_member(JsonReader& in, std::unordered_map<std::string, T, Hash, Equal>& out);

/// The value of a field, which is checked.
template <class Rules>
void read_field(JsonReader& in, typename Rules::Value& out) {
  using schema::Kind;
  if constexpr (Rules::kKind == Kind::integer) {
    in.integer(out, Rules::kIntegers);
  } else if constexpr (Rules::kKind == Kind::number) {
    in.number(out, Rules::numbers());
  } else if constexpr (Rules::kKind == Kind::boolean) {
    in.boolean(out);
  } else if constexpr (Rules::kKind == Kind::array) {
    out.clear();
    in.array(out, Rules::kCount, [&in](auto& item) {
      if constexpr (Rules::kSpec.item.empty()) {
        in.tree(item);
      } else {
        read_field<typename Rules::Items>(in, item);
      }
    });
  } else if constexpr (std::same_as<typename Rules::Value, Json>) {
    in.tree(out);
    if (!Rules::accepts(out)) in.fail();
  } else if constexpr (Rules::kKind == Kind::string && Rules::kSpec.pattern.empty()) {
    in.string(out, Rules::kCount);
  } else if constexpr (Rules::kKind == Kind::string || Rules::kKind == Kind::enumeration) {
    in.string(out);
    if (!in.failed() && !Rules::accepts(out)) in.fail();
  } else {
    in.formatted(out, Rules::kKind);
  }
}

template <FixedText kText>
void read_member(JsonReader& in, Field<kText>& out) {
  using Wrapped = WrappedJson<Field<kText>>;
  read_field<typename Wrapped::Rules>(in, Wrapped::unchecked(out));
}

template <FixedText kText>
void read_member(JsonReader& in, Literal<kText>&) {
  static constexpr std::string_view kValue = kText.view();
  in.one_of(&kValue, 1);
}

template <class Duration>
void read_member(JsonReader& in, std::chrono::sys_time<Duration>& out) {
  std::string text;
  in.string(text);
  if (!in.failed() && !read_time(text, out)) in.fail();
}

template <class T, std::size_t kMinSize, std::size_t kMaxSize>
void read_member(JsonReader& in, Items<T, kMinSize, kMaxSize>& out) {
  auto& items = WrappedJson<Items<T, kMinSize, kMaxSize>>::unchecked(out);
  items.clear();
  in.array(items, out.kCount, [&in](auto& item) { read_member(in, item); });
}

template <class T>
void read_member(JsonReader& in, std::optional<T>& out) {
  read_member(in, out.emplace());
}

template <class T>
void read_member(JsonReader& in, std::unique_ptr<T>& out) {
  out = std::make_unique<T>();
  read_member(in, *out);
}

template <class T>
void read_member(JsonReader& in, std::vector<T>& out) {
  out.clear();
  in.array(out, {}, [&in](auto& item) { read_member(in, item); });
}

template <class T, std::size_t kSize>
void read_member(JsonReader& in, std::array<T, kSize>& out) {
  std::size_t count = 0;
  in.items([&] {
    if (count == kSize) return in.fail();
    read_member(in, out[count++]);
  });
  if (count != kSize) in.fail();
}

/// Reads an array whose items are different.
template <class Set>
void read_set(JsonReader& in, Set& out) {
  out.clear();
  in.items([&] {
    typename Set::value_type item{};
    read_member(in, item);
    if (!in.failed() && !out.insert(std::move(item)).second) in.fail();
  });
}

template <class T, class Compare>
void read_member(JsonReader& in, std::set<T, Compare>& out) {
  read_set(in, out);
}
template <class T, class Hash, class Equal>
void read_member(JsonReader& in, std::unordered_set<T, Hash, Equal>& out) {
  read_set(in, out);
}

template <class Map>
void read_map(JsonReader& in, Map& out) {
  out.clear();
  in.members([&](std::string& name) {
    const auto [member, is_new] = out.try_emplace(std::move(name));
    if (!is_new) return in.fail();
    read_member(in, member->second);
  });
}

template <class T, class Compare>
void read_member(JsonReader& in, std::map<std::string, T, Compare>& out) {
  read_map(in, out);
}
template <class T, class Hash, class Equal>
void read_member(JsonReader& in, std::unordered_map<std::string, T, Hash, Equal>& out) {
  read_map(in, out);
}

/// Whether the object that is next has the literals of the alternative.
template <class T>
bool has_literals(JsonReader& in) {
  if constexpr (HasLiterals<T>) {
    for (const LiteralMember& literal : TypeCode<T>::kLiterals) {
      if (!in.has_member(literal.name, literal.value)) return false;
    }
  }
  return true;
}

/// Reads one of the alternatives. They have different JSON types or different literals, or are
/// strings or numbers of which the first is taken that accepts the value.
template <class... Alternatives>
void read_member(JsonReader& in, std::variant<Alternatives...>& out) {
  const JsonTypes next = in.next_type();
  bool is_read = false;
  const auto attempt = [&]<std::size_t kIndex>(std::integral_constant<std::size_t, kIndex>) {
    using T = std::variant_alternative_t<kIndex, std::variant<Alternatives...>>;
    if (is_read || in.failed() || !have_common(kJsonTypes<T>, next) || !has_literals<T>(in)) return;
    const JsonReader before = in;
    read_member(in, out.template emplace<kIndex>());
    is_read = !in.failed();
    if (!is_read) in.retry(before);
  };
  [&]<std::size_t... kIndices>(std::index_sequence<kIndices...>) {
    (attempt(std::integral_constant<std::size_t, kIndices>()), ...);
  }(std::index_sequence_for<Alternatives...>());
  if (!is_read) in.fail();
}

// Reading the strings of a query, a path, of header fields or cookies.

template <class T>
  requires std::is_arithmetic_v<T>
void read_member(FieldReader& in, T& out) {
  if constexpr (std::same_as<T, bool>) {
    in.boolean(out);
  } else if constexpr (std::floating_point<T>) {
    double number = 0;
    in.number(number);
    if (std::fabs(number) > static_cast<double>(std::numeric_limits<T>::max())) in.fail();
    out = static_cast<T>(number);
  } else {
    LargestOf<T> number = 0;
    in.integer(number);
    if (!std::in_range<T>(number)) in.fail();
    out = static_cast<T>(number);
  }
}

inline void read_member(FieldReader& in, std::string& out) { in.string(out); }

template <class T>
  requires std::is_enum_v<T>
void read_member(FieldReader& in, T& out) {
  for (const EnumName<T>& each : TypeCode<T>::kValues) {
    if (each.name != in.text()) continue;
    out = each.value;
    return;
  }
  in.fail();
}

template <FixedText kText>
void read_member(FieldReader& in, Field<kText>& out) {
  using schema::Kind;
  using Wrapped = WrappedJson<Field<kText>>;
  using Rules = typename Wrapped::Rules;
  auto& value = Wrapped::unchecked(out);
  if constexpr (Rules::kKind == Kind::integer) {
    in.integer(value, Rules::kIntegers);
  } else if constexpr (Rules::kKind == Kind::number) {
    in.number(value, Rules::numbers());
  } else if constexpr (Rules::kKind == Kind::boolean) {
    in.boolean(value);
  } else if constexpr (Rules::kKind == Kind::string && Rules::kSpec.pattern.empty()) {
    in.string(value, Rules::kCount);
  } else {
    in.string(value);
    if (!Rules::accepts(value)) in.fail();
  }
}

template <FixedText kText>
void read_member(FieldReader& in, Literal<kText>&) {
  if (in.text() != kText.view()) in.fail();
}

template <class Duration>
void read_member(FieldReader& in, std::chrono::sys_time<Duration>& out) {
  if (!read_time(in.text(), out)) in.fail();
}

template <class T>
void read_member(FieldReader& in, std::optional<T>& out) {
  read_member(in, out.emplace());
}

template <class T>
void read_member(FieldReader& in, std::unique_ptr<T>& out) {
  out = std::make_unique<T>();
  read_member(in, *out);
}

// Writing JSON. Members that may be absent are left out by the code of their struct.

template <class T>
  requires std::is_arithmetic_v<T>
void write_member(JsonWriter& out, T value) {
  if constexpr (std::same_as<T, bool>) {
    out.boolean(value);
  } else if constexpr (std::floating_point<T>) {
    out.number(static_cast<double>(value));
  } else {
    out.put_number(value);
  }
}

inline void write_member(JsonWriter& out, std::string_view value) { out.string(value); }
inline void write_member(JsonWriter& out, const std::string& value) { out.string(value); }
inline void write_member(JsonWriter& out, const Json& value) { out.tree(value); }

/// @{
/// Throw std::invalid_argument.
[[noreturn]] void throw_without_name(const std::type_info& enumeration, std::int64_t value);
[[noreturn]] void throw_null_pointer(const std::type_info& type);
/// @}

template <class T>
  requires std::is_enum_v<T>
void write_member(JsonWriter& out, T value) {
  for (const EnumName<T>& each : TypeCode<T>::kValues) {
    if (each.value == value) return out.string(each.name);
  }
  throw_without_name(typeid(T), static_cast<std::int64_t>(value));
}

template <GeneratedStruct T>
void write_member(JsonWriter& out, const T& value) {
  TypeCode<T>::write(out, value);
}

template <FixedText kText>
void write_member(JsonWriter& out, const Literal<kText>&) {
  out.string(kText.view());
}

template <class Duration>
void write_member(JsonWriter& out, const std::chrono::sys_time<Duration>& value) {
  write_time(out, value);
}

template <class T>
  requires MaybeEmpty<T> && (!GeneratedStruct<T>)
void write_member(JsonWriter& out, const T& value);
template <class T>
  requires MapOfNames<T> && (!GeneratedStruct<T>)
void write_member(JsonWriter& out, const T& values);
template <Iterable T>
  requires(!MapOfNames<T> && !GeneratedStruct<T> &&
           !std::convertible_to<const T&, std::string_view>)
void write_member(JsonWriter& out, const T& values);

template <FixedText kText>
void write_member(JsonWriter& out, const Field<kText>& field) {
  write_member(out, field.value());
}

template <class... Alternatives>
void write_member(JsonWriter& out, const std::variant<Alternatives...>& value) {
  std::visit([&out](const auto& alternative) { write_member(out, alternative); }, value);
}

template <class T>
  requires MaybeEmpty<T> && (!GeneratedStruct<T>)
void write_member(JsonWriter& out, const T& value) {
  if (value) {
    write_member(out, *value);
  } else if constexpr (requires { typename T::element_type; }) {
    throw_null_pointer(typeid(T));  // in a container, whose items are never null
  } else {
    out.raw("null");
  }
}

template <class T>
  requires MapOfNames<T> && (!GeneratedStruct<T>)
void write_member(JsonWriter& out, const T& values) {
  char before = '{';
  for (const auto& [name, value] : values) {
    out.put(before);
    out.string(name);
    out.put(':');
    write_member(out, value);
    before = ',';
  }
  out.raw(values.empty() ? "{}" : "}");
}

template <Iterable T>
  requires(!MapOfNames<T> && !GeneratedStruct<T> &&
           !std::convertible_to<const T&, std::string_view>)
void write_member(JsonWriter& out, const T& values) {
  char before = '[';
  for (const auto& value : values) {
    out.put(before);
    write_member(out, static_cast<const typename T::value_type&>(value));
    before = ',';
  }
  out.raw(values.empty() ? "[]" : "]");
}

// Rows.

template <class T>
void write_row(JsonWriter& out, const void* value) {
  write_member(out, *static_cast<const T*>(value));
}

template <class T>
std::unique_ptr<TypedValue> read_row(JsonReader& in, Location location) {
  auto made = std::make_unique<TypedValueOf<T>>(location);
  read_member(in, made->value);
  if (!in.is_complete()) return nullptr;
  return made;
}

template <class T>
std::unique_ptr<TypedValue> read_row_of_fields(FieldReader& in, Location location) {
  auto made = std::make_unique<TypedValueOf<T>>(location);
  TypeCode<T>::read(in, made->value);
  if (!in.is_complete()) return nullptr;
  return made;
}

/// The row of a type that is only sent, or only part of others.
template <class T>
constexpr TypeRow nested_type_row(std::string_view name) {
  return {
      .name = name, .type = &typeid(T), .slot = &type_slot<T>, .schema = {}, .write = write_row<T>};
}

/// The row of a type that is a schema: it may be read and sent.
template <class T>
constexpr TypeRow type_row(std::string_view name, std::span<const std::string_view> schema) {
  TypeRow row = nested_type_row<T>(name);
  row.schema = schema;
  row.read_json = read_row<T>;
  if constexpr (requires(FieldReader& in, T& out) { TypeCode<T>::read(in, out); }) {
    row.read_fields = read_row_of_fields<T>;
  }
  return row;
}

}  // namespace fw::detail
