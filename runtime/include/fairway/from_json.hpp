// Whether a type that the generated code writes has a `from_json` of its own, by which
// nlohmann::json reads it: a function in its namespace, a friend, or a specialization of
// nlohmann::adl_serializer.
#pragma once

#include <fairway/json_fwd.hpp>
#include <fairway/plain_struct.hpp>
#include <fairway/type_json.hpp>

#include <concepts>
#include <string_view>
#include <type_traits>

namespace fw::detail::from_json_search {

struct None {};
/// Takes every type: a worse match than a function for T, and a better one than that for a base of
/// T. In a namespace of its own, because nlohmann::json must not find it.
template <class AnyJson, class T>
None from_json(const AnyJson& json, T& value);

template <class T>
concept FindsNone = requires(const Json& json, T& value) {
  { from_json(json, value) } -> std::same_as<None>;
};

}  // namespace fw::detail::from_json_search

namespace fw::detail {

/// nlohmann's own template has functions for each type. It is incomplete without its header.
template <class T>
concept HasSerializer =
    requires { sizeof(nlohmann::adl_serializer<T>); } && !requires(const Json& json, int& other) {
      nlohmann::adl_serializer<T>::from_json(json, other);
    };

/// A function for the type or its base, or a specialization for it.
template <class T>
concept MayHaveFromJson = HasSerializer<T> || !std::is_aggregate_v<T> || LooksLikeJson<T> ||
                          requires(const Json& json, T& value) { from_json(json, value); };

/// Whether there is a `from_json` for the class itself. One for a base does not count, which would
/// leave out the members of the class.
template <class T>
concept HasFromJson = std::is_class_v<T> && !HasJsonMembers<T> &&
                      (requires(const Json& json) {
                        { nlohmann::adl_serializer<T>::from_json(json) } -> std::same_as<T>;
                      } || (requires(const Json& json, T& value) {
                         nlohmann::adl_serializer<T>::from_json(json, value);
                       } && (HasSerializer<T> || !from_json_search::FindsNone<T>)));

template <class T>
constexpr bool is_read_by_from_json() {
  if constexpr (kIsVariant<T>) {
    return false;
  } else if constexpr (MapOfNames<T>) {
    return is_read_by_from_json<typename T::mapped_type>();
  } else if constexpr (Iterable<T> && !std::convertible_to<const T&, std::string_view>) {
    return is_read_by_from_json<typename T::value_type>();
  } else if constexpr (!std::is_class_v<T> || HasJsonMembers<T> || !MayHaveFromJson<T>) {
    return false;
  } else {
    static_assert(sizeof(JsonFor<T>) > 0, "include <fairway/json.hpp>");
    return HasFromJson<T>;
  }
}

/// A type that the generated code writes, if any does, and that its own `from_json` reads; also a
/// container of such a type.
template <class T>
concept ReadByFromJson = WrittenByGeneratedCode<T> && is_read_by_from_json<T>();

}  // namespace fw::detail
