// The description of a route's structs in the generated table, from which the runtime builds them
// before the handler runs. For generated code.
#pragma once

#include <fairway/generated/field_reader.hpp>
#include <fairway/generated/json_reader.hpp>
#include <fairway/json_fwd.hpp>
#include <fairway/location.hpp>
#include <fairway/type_reference.hpp>

#include <memory>
#include <span>
#include <string_view>
#include <typeinfo>
#include <utility>

namespace fw::detail {

/// A struct of any type that was read from one location of a request.
class TypedValue {
 public:
  TypedValue(const TypedValue&) = delete;
  TypedValue& operator=(const TypedValue&) = delete;
  virtual ~TypedValue() = default;

  const std::type_info& type;
  const Location location;
  std::unique_ptr<TypedValue> next;  ///< of the same request
  bool is_outdated = false;          ///< built before its location was validated

 protected:
  TypedValue(const std::type_info& of, Location from) : type(of), location(from) {}
};

template <class Generated>
class TypedValueOf : public TypedValue {
 public:
  TypedValueOf() : TypedValueOf(Generated::kLocation) {}
  explicit TypedValueOf(Location from) : TypedValue(typeid(Generated), from) {}
  explicit TypedValueOf(Generated made) : TypedValueOf(Generated::kLocation, std::move(made)) {}
  TypedValueOf(Location from, Generated made)
      : TypedValue(typeid(Generated), from), value(std::move(made)) {}

  Generated value = {};
};

/// Reads a struct by its `fw_decode`; null for input that needs the general path.
template <class Generated, class Reader>
std::unique_ptr<TypedValue> decode(Reader& in) {
  auto made = std::make_unique<TypedValueOf<Generated>>();
  fw_decode(in, made->value);
  if (!in.is_complete()) return nullptr;
  return made;
}

/// The struct of a declared response. Its values have the types of the schema, so they are not
/// checked, except for numbers that JSON cannot have: see `JsonWriter::is_exact`.
struct ResponseType {
  std::string_view selector;  ///< "201", "2xx" or "default"
  const std::type_info* type;
  std::string_view event = {};  ///< the struct is the data of this event of a stream
};

/// Reads the struct of a message of a socket by its `fw_decode`, from an object with its members,
/// without `type`; null for input that needs the general path.
template <class Generated>
std::unique_ptr<TypedValue> decode_message(JsonReader& in) {
  auto made = std::make_unique<TypedValueOf<Generated>>(Location::body);
  fw_decode(in, made->value);
  if (!in.is_complete()) return nullptr;
  return made;
}

/// The struct that is generated for a message of a socket. Like the struct of an event, it has the
/// name of the message: `static constexpr std::string_view kEventName`. Its `fw_encode` writes an
/// object without `type`. A struct that is not always valid (see `ResponseType`) has no row in
/// `send`; a struct without `fw_decode` has none in `receive`. Neither has a C++ type of the
/// application, whose `TypeRow` is used.
struct MessageType {
  std::string_view name;  ///< of the message
  const std::type_info* type;
  std::unique_ptr<TypedValue> (*decode)(JsonReader&) =
      nullptr;  ///< in `receive`: decode_message<T>
};

/// The structs of one route.
struct RouteTypes {
  using DecodeFields = std::unique_ptr<TypedValue> (*)(FieldReader&);
  using DecodeBody = std::unique_ptr<TypedValue> (*)(JsonReader&);

  // Each reads the struct of a location; null if there is none.
  DecodeFields decode_param = nullptr;
  DecodeFields decode_query = nullptr;
  DecodeFields decode_header = nullptr;
  DecodeFields decode_cookie = nullptr;
  DecodeBody decode_body = nullptr;  ///< of a JSON body
  std::span<const ResponseType> responses = {};
  std::span<const MessageType> receive = {};  ///< of a socket
  std::span<const MessageType> send = {};     ///< of a socket
};

/// The generated code of a C++ type that routes read or send: see type_code.hpp.
struct TypeRow {
  std::string_view name;                     ///< as written in C++: "shop::NewOrder"
  const std::type_info* type;                ///< of the type
  std::atomic<const TypeRow*>* slot;         ///< the type's `type_slot`
  std::span<const std::string_view> schema;  ///< JSON Schema, in parts; empty: not a schema
  /// Writes a value of the type. Throws std::invalid_argument for one that JSON cannot have, such
  /// as a date after the year 9999.
  void (*write)(JsonWriter& out, const void* value) = nullptr;
  /// Reads a value; null for text that needs the general path, and for a validated value that the
  /// type cannot have. Null without a schema.
  std::unique_ptr<TypedValue> (*read_json)(JsonReader& in, Location location) = nullptr;
  /// The same for a struct of scalars, from strings. Null for other types.
  std::unique_ptr<TypedValue> (*read_fields)(FieldReader& in, Location location) = nullptr;
};

}  // namespace fw::detail
