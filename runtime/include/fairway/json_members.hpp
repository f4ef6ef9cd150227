// FW_JSON lets a type of yours be written as JSON and read from it:
//
//   struct Order {
//     std::int64_t id = 0;
//     std::int64_t customer_id = 0;
//     std::optional<std::string> note;
//     FW_JSON(Order, id, (customer_id, "customerId"), note)
//   };
//
// It may be inside the type or after it, in the same namespace. `res.json(order)` writes the
// members in this order without a JSON tree. `response.get<Order>()` of an outbound call reads them
// without one if the body has no other members, none of them twice, and values of their types;
// other bodies are read by way of a tree.
// `fw::Json(order)`, `json.get<Order>()` and `req.valid<Order>(location)` work, too. A
// std::optional member is left out if it is empty, and may be absent or null. Members may be
// numbers, bool, strings, std::optional, std::vector, fw::Field, fw::Items, fw::Literal and types
// with FW_JSON; fw::Json and other types that nlohmann::json converts are read by way of a tree. A
// number that an integer cannot hold is an error, Json::out_of_range. At most 64 members.
//
// A type with other members, such as enumerations and plain structs (docs/types.md), is written by
// the code that the route compiler generates for it.
#pragma once

#include <fairway/generated/json_reader.hpp>
#include <fairway/json_fwd.hpp>
#include <fairway/json_writer.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace fw::detail {

template <class Owner, class Value>
struct JsonMember {
  std::string_view name;
  Value Owner::* pointer;
};

template <class Owner, class Value>
JsonMember(std::string_view, Value Owner::*) -> JsonMember<Owner, Value>;

/// A null pointer that converts to `const T*` only, and not to a pointer to a base of T, whose
/// FW_JSON does not list the members of T.
template <class T>
struct NullOf {
  template <std::same_as<const T*> Pointer>
  constexpr operator Pointer() const {
    return nullptr;
  }
};

/// The members of a type, whether FW_JSON is inside it or after it.
template <class T>
constexpr auto json_members() {
  constexpr NullOf<T> kNone;
  if constexpr (requires { T::fw_json_members(kNone); }) {
    return T::fw_json_members(kNone);
  } else {
    return fw_json_members(kNone);
  }
}

template <class T>
concept HasJsonMembers = std::is_class_v<T> && (requires(NullOf<T> none) {
                           T::fw_json_members(none);
                         } || requires(NullOf<T> none) { fw_json_members(none); });

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/// A std::vector whose items can be made before they are read.
template <class T>
inline constexpr bool kIsVector = false;
template <std::default_initializable T>
inline constexpr bool kIsVector<std::vector<T>> = true;

/// How a class is read and written that has the JSON of its only member: fw::Field, fw::Literal and
/// fw::Items have `Value`, `value(const T&)` and `assign(T&, Value)`, which returns false for a
/// value that the class cannot have.
template <class T>
struct WrappedJson;

template <class T>
concept HasWrappedJson = requires { typename WrappedJson<T>::Value; };

template <class T>
void write_value(JsonWriter& out, const T& value);

template <class T>
void write_value(JsonWriter& out, const std::vector<T>& values) {
  out.array(values, [&out](const auto& value) { write_value<T>(out, value); });
}

template <class T>
void write_value(JsonWriter& out, const T& value) {
  if constexpr (HasWrappedJson<T>) {
    write_value(out, WrappedJson<T>::value(value));
  } else if constexpr (std::same_as<T, bool>) {
    out.boolean(value);
  } else if constexpr (std::unsigned_integral<T>) {
    out.raw(std::to_string(value));
  } else if constexpr (std::signed_integral<T>) {
    out.integer(value);
  } else if constexpr (std::floating_point<T>) {
    out.number(value);
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    out.string(value);
  } else if constexpr (kIsOptional<T>) {
    if (value) {
      write_value(out, *value);
    } else {
      out.raw("null");
    }
  } else if constexpr (Encodable<T>) {
    fw_encode(out, value);
  } else {
    using Tree = JsonFor<T>;
    out.raw(Tree(value).dump(-1, ' ', false, Tree::error_handler_t::replace));
  }
}

template <HasJsonMembers T>
void fw_encode(JsonWriter& out, const T& value) {
  std::string_view before = "{";
  const auto write = [&](const auto& member) {
    const auto& each = value.*member.pointer;
    if constexpr (kIsOptional<std::remove_cvref_t<decltype(each)>>) {
      if (!each) return;
    }
    out.raw(before);
    out.string(member.name);
    out.raw(":");
    write_value(out, each);
    before = ",";
  };
  std::apply([&](const auto&... members) { (write(members), ...); }, json_members<T>());
  out.raw(before == "{" ? "{}" : "}");
}

template <class T>
void read_value(JsonReader& in, T& value);

template <class T>
void read_value(JsonReader& in, std::vector<T>& values) {
  values.clear();
  in.array(values, {}, [&in](auto& value) { read_value(in, value); });
}

template <class T>
void read_value(JsonReader& in, T& value) {
  if constexpr (HasWrappedJson<T>) {
    typename WrappedJson<T>::Value read{};
    read_value(in, read);
    if (!in.failed() && !WrappedJson<T>::assign(value, std::move(read))) in.fail();
  } else if constexpr (std::same_as<T, bool>) {
    in.boolean(value);
  } else if constexpr (std::integral<T>) {
    using Limits = std::numeric_limits<T>;
    constexpr bool kIsLargest = sizeof(T) >= sizeof(std::int64_t);
    Range<std::int64_t> range = {.least = static_cast<std::int64_t>(Limits::lowest())};
    if constexpr (!kIsLargest) range.most = static_cast<std::int64_t>(Limits::max());
    std::int64_t number = 0;
    in.integer(number, range);
    value = static_cast<T>(number);
  } else if constexpr (std::floating_point<T>) {
    double number = 0;
    in.number(number);
    value = static_cast<T>(number);
  } else if constexpr (std::same_as<T, std::string>) {
    in.string(value);
  } else if constexpr (kIsOptional<T>) {
    value.reset();
    if (!in.null()) read_value(in, value.emplace());
  } else if constexpr (HasJsonMembers<T>) {
    fw_decode(in, value);
  } else {
    in.fail();
  }
}

/// The names of the members of T, and those that must be there.
template <class T>
struct JsonNames {
  static constexpr std::size_t kCount = std::tuple_size_v<decltype(json_members<T>())>;
  static_assert(kCount <= 64, "FW_JSON lists at most 64 members");

  std::string_view names[kCount];
  std::uint64_t required = 0;

  static constexpr JsonNames make() {
    JsonNames result{};
    std::size_t index = 0;
    const auto add = [&](const auto& member) {
      using Value = std::remove_cvref_t<decltype(std::declval<T&>().*member.pointer)>;
      if (!kIsOptional<Value>) result.required |= std::uint64_t{1} << index;
      result.names[index++] = member.name;
    };
    std::apply([&](const auto&... members) { (add(members), ...); }, json_members<T>());
    return result;
  }
};

template <HasJsonMembers T>
void fw_decode(JsonReader& in, T& value) {
  static constexpr auto kMembers = JsonNames<T>::make();
  for (JsonObject object(in, kMembers.names, kMembers.required); object.next();) {
    std::size_t index = 0;
    const auto read = [&](const auto& member) {
      if (index++ == object.member()) read_value(in, value.*member.pointer);
    };
    std::apply([&](const auto&... members) { (read(members), ...); }, json_members<T>());
  }
}

/// A type that can be read without a JSON tree.
template <class T>
concept Decodable = requires(JsonReader& in, T& value) { fw_decode(in, value); };

template <Decodable T>
void fw_decode(JsonReader& in, std::vector<T>& items) {
  in.array(items, {}, [&in](T& item) { fw_decode(in, item); });
}

template <class T>
void write_tree(JsonFor<T>& json, std::string_view name, const T& value) {
  if constexpr (kIsOptional<T>) {
    if (value) json[std::string(name)] = *value;
  } else {
    json[std::string(name)] = value;
  }
}

/// Throws Json::out_of_range for a JSON number that is no integer from `least` to `most`, which is
/// a power of two, less one. Does nothing for other values.
void require_integer(const Json& json, std::int64_t least, std::uint64_t most);

/// nlohmann's conversion, but a number that T cannot hold is an error and does not wrap around.
template <class T>
void read_tree(const JsonFor<T>& json, T& value) {
  if constexpr (kIsOptional<T>) {
    value.reset();
    if (!json.is_null()) read_tree(json, value.emplace());
  } else if constexpr (kIsVector<T>) {
    value.clear();
    for (const auto& each : json.template get_ref<const typename JsonFor<T>::array_t&>()) {
      typename T::value_type item{};
      read_tree(each, item);
      value.push_back(std::move(item));
    }
  } else {
    if constexpr (std::integral<T> && !std::same_as<T, bool>) {
      using Limits = std::numeric_limits<T>;
      require_integer(json, static_cast<std::int64_t>(Limits::lowest()),
                      static_cast<std::uint64_t>(Limits::max()));
    }
    json.get_to(value);
  }
}

template <class T>
void read_member(const JsonFor<T>& json, std::string_view name, T& value) {
  if constexpr (kIsOptional<T>) {
    const auto found = json.find(name);
    if (found == json.end()) {
      value.reset();
    } else {
      read_tree(*found, value);
    }
  } else {
    read_tree(json.at(std::string(name)), value);
  }
}

template <class T>
void write_members(JsonFor<T>& json, const T& value) {
  json = JsonFor<T>::object();
  std::apply(
      [&](const auto&... members) {
        (write_tree(json, members.name, value.*members.pointer), ...);
      },
      json_members<T>());
}

}  // namespace fw::detail

template <fw::detail::HasJsonMembers T>
struct nlohmann::adl_serializer<T> {
  static void to_json(fw::Json& json, const T& value) { fw::detail::write_members<T>(json, value); }
  static void from_json(const fw::Json& json, T& value) {
    std::apply(
        [&](const auto&... members) {
          (fw::detail::read_member(json, members.name, value.*members.pointer), ...);
        },
        fw::detail::json_members<T>());
  }
};

// An argument of FW_JSON is a name, or a name with another one for JSON in parentheses.
#define FW_JSON_SECOND_(first, second, ...) second
#define FW_JSON_PICK_SECOND_(...) FW_JSON_SECOND_(__VA_ARGS__)
#define FW_JSON_IS_PAIR_PROBE_(...) , 1
#define FW_JSON_IS_PAIR_(member) FW_JSON_PICK_SECOND_(FW_JSON_IS_PAIR_PROBE_ member, 0, )
#define FW_JSON_UNPACK_(...) __VA_ARGS__
#define FW_JSON_NAMED_(...) FW_JSON_NAMED_AS_(__VA_ARGS__)
#define FW_JSON_NAMED_AS_(type, member, name) \
  ::fw::detail::JsonMember { name, &type::member }
#define FW_JSON_MEMBER_0_(type, member) FW_JSON_NAMED_AS_(type, member, #member)
#define FW_JSON_MEMBER_1_(type, pair) FW_JSON_NAMED_(type, FW_JSON_UNPACK_ pair)
#define FW_JSON_CONCATENATE_(a, b, c) a##b##c
#define FW_JSON_MEMBER_OF_(is_pair) FW_JSON_CONCATENATE_(FW_JSON_MEMBER_, is_pair, _)
#define FW_JSON_MEMBER_(type, member) FW_JSON_MEMBER_OF_(FW_JSON_IS_PAIR_(member))(type, member)

// A macro cannot expand itself, but its result can be expanded again.
#define FW_JSON_AGAIN_(...) FW_JSON_AGAIN_3_(FW_JSON_AGAIN_3_(FW_JSON_AGAIN_3_(__VA_ARGS__)))
#define FW_JSON_AGAIN_3_(...) FW_JSON_AGAIN_2_(FW_JSON_AGAIN_2_(FW_JSON_AGAIN_2_(__VA_ARGS__)))
#define FW_JSON_AGAIN_2_(...) FW_JSON_AGAIN_1_(FW_JSON_AGAIN_1_(FW_JSON_AGAIN_1_(__VA_ARGS__)))
#define FW_JSON_AGAIN_1_(...) FW_JSON_AGAIN_0_(FW_JSON_AGAIN_0_(FW_JSON_AGAIN_0_(__VA_ARGS__)))
#define FW_JSON_AGAIN_0_(...) __VA_ARGS__
#define FW_JSON_PARENTHESES_ ()
#define FW_JSON_NEXT_() FW_JSON_EACH_
#define FW_JSON_EACH_(type, member, ...) \
  FW_JSON_MEMBER_(type, member)          \
  __VA_OPT__(, FW_JSON_NEXT_ FW_JSON_PARENTHESES_(type, __VA_ARGS__))

/// Declares the members that `type` has in JSON; see the top of this file.
#define FW_JSON(type, ...)                                                 \
  [[maybe_unused]] static constexpr auto fw_json_members(const type*) {    \
    return ::std::tuple{FW_JSON_AGAIN_(FW_JSON_EACH_(type, __VA_ARGS__))}; \
  }
