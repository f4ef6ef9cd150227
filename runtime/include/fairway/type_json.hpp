// Writes plain C++ types, for which the route compiler generates code, and containers of them.
#pragma once

#include <fairway/generated/calendar.hpp>
#include <fairway/json_fwd.hpp>
#include <fairway/json_members.hpp>
#include <fairway/json_writer.hpp>
#include <fairway/plain_struct.hpp>
#include <fairway/type_reference.hpp>

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>

namespace fw::detail {

template <class T>
inline constexpr bool kIsVariant = false;
template <class... Alternatives>
inline constexpr bool kIsVariant<std::variant<Alternatives...>> = true;

/// Dates and times, which are written without a row.
template <class T>
inline constexpr bool kIsTime = false;
template <class Duration>
inline constexpr bool kIsTime<std::chrono::sys_time<Duration>> = true;

template <class T>
concept Iterable = requires(const T& items) {
  typename T::value_type;
  items.begin();
  items.end();
};

/// A container whose JSON is an object.
template <class T>
concept MapOfNames = Iterable<T> && requires { typename T::mapped_type; } &&
                     std::convertible_to<const typename T::key_type&, std::string_view>;

/// std::optional and smart pointers.
template <class T>
concept MaybeEmpty = std::is_class_v<T> && !Iterable<T> && requires(const T& value) {
  static_cast<bool>(value);
  *value;
};

/// Whether values of a type are written by generated code: classes that are not converted to
/// fw::Json otherwise, enumerations, and containers of these.
enum class CodeUse {
  none,
  enumerations,  ///< without the code, fw::Json converts the type, but has numbers for enumerations
  always,
};

template <class T, class... Around>
constexpr CodeUse code_use();

/// A member of a type with FW_JSON.
template <class T, class... Around>
constexpr CodeUse code_use_of_member() {
  if constexpr (HasWrappedJson<T>) {
    return code_use_of_member<typename WrappedJson<T>::Value, Around...>();
  } else if constexpr (kIsOptional<T>) {
    return code_use_of_member<typename T::value_type, Around...>();
  } else {
    return code_use<T, Around...>();
  }
}

/// `Around`: the types with FW_JSON in which T is.
template <class T, class... Around>
constexpr CodeUse code_use() {
  if constexpr (std::is_enum_v<T>) {
    return CodeUse::enumerations;
  } else if constexpr (kIsVariant<T>) {
    return CodeUse::always;
  } else if constexpr (!std::is_class_v<T> || (std::same_as<T, Around> || ...)) {
    return CodeUse::none;
  } else if constexpr (HasJsonMembers<T>) {
    CodeUse use = CodeUse::none;
    const auto add = [&]<class Owner, class Value>(const JsonMember<Owner, Value>&) {
      constexpr CodeUse kUse = code_use_of_member<Value, T, Around...>();
      if (kUse > use) use = kUse;
    };
    std::apply([&](const auto&... members) { (add(members), ...); }, json_members<T>());
    return use;
  } else if constexpr (MapOfNames<T>) {
    return code_use<typename T::mapped_type, Around...>();
  } else if constexpr (Iterable<T> && !std::convertible_to<const T&, std::string_view>) {
    using Item = typename T::value_type;
    if constexpr (std::same_as<Item, T>) {  // fw::Json
      return CodeUse::none;
    } else {
      return code_use<Item, Around...>();
    }
  } else if constexpr (Encodable<T> || HasWrappedJson<T>) {
    return CodeUse::none;
  } else {
    return is_converted_to_json<T>() ? CodeUse::none : CodeUse::always;
  }
}

template <class T>
constexpr bool uses_generated_code() {
  return code_use<T>() != CodeUse::none;
}

template <class T>
concept WrittenByGeneratedCode = uses_generated_code<T>();

/// Generated structs of schema maps, and types with FW_JSON that need no generated code.
template <class T>
concept WrittenByItself = Encodable<T> && !WrittenByGeneratedCode<T>;

/// Whether fw::Json converts a type, if not as the generated code would.
template <class T>
constexpr bool is_converted_otherwise() {
  if constexpr (code_use<T>() == CodeUse::always) {
    return false;
  } else {
    return is_converted_to_json<T>();
  }
}

/// "no code was generated for the type 'X'; rebuild the application"
[[noreturn]] void throw_missing_code(const std::type_info& type);

/// The part of T without generated code, at run time; null if there is none.
template <class T>
const std::type_info* find_missing_code() {
  if constexpr (!uses_generated_code<T>()) {
    return nullptr;
  } else if (type_slot<T>.load(std::memory_order_acquire) != nullptr) {
    return nullptr;
  } else if constexpr (kIsVariant<T>) {
    return []<class... Alternatives>(std::type_identity<std::variant<Alternatives...>>) {
      const std::type_info* missing = nullptr;
      static_cast<void>(((missing = find_missing_code<Alternatives>()) || ...));
      return missing;
    }(std::type_identity<T>());
  } else if constexpr (kIsTime<T>) {
    return nullptr;
  } else if constexpr (MaybeEmpty<T>) {
    return find_missing_code<std::remove_cvref_t<decltype(*std::declval<const T&>())>>();
  } else if constexpr (MapOfNames<T>) {
    return find_missing_code<typename T::mapped_type>();
  } else if constexpr (Iterable<T>) {
    return find_missing_code<typename T::value_type>();
  } else if constexpr (is_converted_otherwise<T>()) {
    return nullptr;
  } else {
    return &typeid(T);
  }
}

/// Calls the code of the row.
void write_by_row(const TypeRow& row, JsonWriter& out, const void* value);

/// Throws std::logic_error for a type without generated code.
template <class T>
void write_by_code(JsonWriter& out, const T& value) {
  if constexpr (WrittenByItself<T>) {
    fw_encode(out, value);
  } else if constexpr (!uses_generated_code<T>()) {
    out.tree(JsonFor<T>(value));
  } else if (const TypeRow* const row = type_slot<T>.load(std::memory_order_acquire)) {
    write_by_row(*row, out, &value);
  } else if constexpr (kIsVariant<T>) {
    std::visit([&out](const auto& alternative) { write_by_code(out, alternative); }, value);
  } else if constexpr (kIsTime<T>) {
    write_time(out, value);
  } else if constexpr (MaybeEmpty<T>) {
    if (value) {
      write_by_code(out, *value);
    } else {
      out.raw("null");
    }
  } else if constexpr (MapOfNames<T>) {
    out.raw("{");
    for (bool is_first = true; const auto& [name, member] : value) {
      if (!std::exchange(is_first, false)) out.raw(",");
      out.string(name);
      out.raw(":");
      write_by_code(out, member);
    }
    out.raw("}");
  } else if constexpr (Iterable<T>) {
    out.raw("[");
    for (bool is_first = true; const auto& item : value) {
      if (!std::exchange(is_first, false)) out.raw(",");
      write_by_code(out, item);
    }
    out.raw("]");
  } else if constexpr (PlainEnum<T>) {
    out.raw(std::to_string(static_cast<std::int64_t>(value)));
  } else if constexpr (is_converted_otherwise<T>()) {
    out.tree(JsonFor<T>(value));
  } else {
    throw_missing_code(typeid(T));
  }
}

template <class T>
EncodableData coded(const T& data) {
  return {&data, typeid(T), [](JsonWriter& out, const void* value) {
            write_by_code(out, *static_cast<const T*>(value));
          }};
}

}  // namespace fw::detail
