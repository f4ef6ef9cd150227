// Whether fw::Json converts a type, without the complete fw::Json for plain structs, which it does
// not convert.
#pragma once

#include <fairway/json_fwd.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace fw::detail {

/// An argument for every function that takes a reference to some JSON type.
struct AnyTree {
  template <class Tree>
  operator Tree&() const;
};

void take_json(const Json& json);

/// A specialization, not nlohmann's own template, which has functions for each type and is
/// incomplete without its header.
template <class T>
concept WritesBySerializer = requires {
  sizeof(nlohmann::adl_serializer<T>);
} && !requires(Json& json, const int& other) { nlohmann::adl_serializer<T>::to_json(json, other); };

/// A function of the application for the type.
template <class T>
concept HasToJsonFunction = requires(const AnyTree& json, const T& value) { to_json(json, value); };

/// A conversion of the application, as nlohmann::json finds it.
template <class T>
concept HasToJson = requires(Json& json, const T& value) { to_json(json, value); } ||
                    HasToJsonFunction<T> || WritesBySerializer<T>;

/// What nlohmann::json may convert by itself.
template <class T>
concept LooksLikeJson =
    requires { typename T::value_type; } || requires { typename T::mapped_type; } ||
    requires { typename T::first_type; } || requires { typename T::string_type; } ||
    requires(const T& value) { begin(value); } || requires(const T& value) { value.begin(); } ||
    requires(const T& value) { []<class... Items>(const std::tuple<Items...>&) {}(value); } ||
    requires { std::tuple_size<T>::value; } || std::constructible_from<std::string, const T&> ||
    std::convertible_to<const T&, std::string_view> ||
    requires(const T& value) { take_json(value); };

/// An aggregate that nlohmann::json does not convert.
template <class T>
concept PlainStruct =
    std::is_class_v<T> && std::is_aggregate_v<T> && !LooksLikeJson<T> && !HasToJson<T>;

/// An enumeration that is an integer in JSON.
template <class T>
concept PlainEnum =
    std::is_enum_v<T> &&
    (sizeof(T) < sizeof(std::int64_t) ||
     std::is_signed_v<typename std::conditional_t<std::is_enum_v<T>, std::underlying_type<T>,
                                                  std::type_identity<T>>::type>) &&
    !HasToJsonFunction<T> && !WritesBySerializer<T>;

/// Whether fw::Json is made from a value of the type by conversion. The type must be complete for
/// types that are not strings, numbers or plain structs: include <fairway/json.hpp>.
template <class T>
constexpr bool is_converted_to_json() {
  if constexpr (PlainStruct<T>) {
    return false;
  } else if constexpr (PlainEnum<T> || std::same_as<T, std::string> ||
                       std::same_as<T, std::string_view> || std::is_arithmetic_v<T>) {
    return true;
  } else {
    static_assert(sizeof(JsonFor<T>) > 0, "include <fairway/json.hpp>");
    return std::convertible_to<const T&, JsonFor<T>>;
  }
}

}  // namespace fw::detail
