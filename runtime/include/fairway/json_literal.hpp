// JSON that is written inline in files without <fairway/json.hpp>:
//
//   app.raise(404, "order.notFound", {{"id", 7}});
//
// Functions that take fw::Json have a second overload with a JsonLiteral, which is never called
// where fw::Json is complete, because it is a worse match. Braces mean what they mean for fw::Json:
// a list of pairs that begin with strings is an object, another list is an array. A literal owns
// everything, because strings may change before it is sent.
#pragma once

#include <fairway/json_fwd.hpp>
#include <fairway/json_writer.hpp>
#include <fairway/plain_struct.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace fw::detail {

template <class T>
struct WrappedJson;

/// Strings and numbers, and bool.
template <class T>
concept JsonScalar =
    std::is_arithmetic_v<T> || std::same_as<T, std::string> || std::same_as<T, std::string_view>;

class JsonItem;
class JsonLiteral;

/// How a value becomes a part of a literal.
enum class InlineForm {
  none,
  scalar,
  tree,         ///< an fw::Json
  enumeration,  ///< an integer, as in fw::Json
  wrapped,      ///< the value of an fw::Field, fw::Literal or fw::Items
  encoded,      ///< a type with FW_JSON, or a vector of such
  converted,    ///< a type with a `to_json`
  object,       ///< a map of names
  array,
};

template <class T>
constexpr InlineForm inline_form() {
  if constexpr (JsonScalar<T>) {
    return InlineForm::scalar;
  } else if constexpr (std::same_as<T, Json>) {
    return InlineForm::tree;
  } else if constexpr (std::is_enum_v<T>) {
    return HasToJsonFunction<T> ? InlineForm::converted : InlineForm::enumeration;
  } else if constexpr (!std::is_class_v<T> || std::same_as<T, JsonItem> ||
                       std::same_as<T, JsonLiteral>) {
    return InlineForm::none;
  } else if constexpr (requires { typename WrappedJson<T>::Value; }) {
    using Value = typename WrappedJson<T>::Value;
    return inline_form<Value>() == InlineForm::none ? InlineForm::none : InlineForm::wrapped;
  } else if constexpr (Encodable<T>) {
    return InlineForm::encoded;
  } else if constexpr (HasToJsonFunction<T>) {
    return InlineForm::converted;
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    return InlineForm::none;
  } else if constexpr (requires(const T& map) {
                         requires std::convertible_to<const typename T::key_type&,
                                                      std::string_view>;
                         requires !std::same_as<typename T::mapped_type, T>;
                         map.begin()->second;
                       }) {
    return inline_form<typename T::mapped_type>() == InlineForm::none ? InlineForm::none
                                                                      : InlineForm::object;
  } else if constexpr (requires(const T& items) {
                         requires std::same_as<std::remove_cvref_t<decltype(*items.begin())>,
                                               typename T::value_type>;
                         requires !std::same_as<typename T::value_type, T>;
                         items.end();
                       }) {
    return inline_form<typename T::value_type>() == InlineForm::none ? InlineForm::none
                                                                     : InlineForm::array;
  } else {
    return InlineForm::none;
  }
}

/// What can be a part of a literal.
template <class T>
concept InlineJson = inline_form<T>() != InlineForm::none;

/// A JSON value in braces. It owns everything.
class JsonItem {
 public:
  JsonItem() noexcept;  ///< null, also `{}`
  JsonItem(std::initializer_list<JsonItem> items);
  /// @{
  /// A value. Throws std::logic_error for a null pointer to characters.
  JsonItem(std::nullptr_t) noexcept : JsonItem() {}
  template <std::same_as<char> C>
  JsonItem(const C* text) : JsonItem(Text{text}) {}
  template <InlineJson T>
  JsonItem(const T& value) : JsonItem() {
    set<T>(value);
  }
  /// @}
  JsonItem(const JsonItem& other);
  JsonItem(JsonItem&& other) noexcept;
  JsonItem& operator=(JsonItem other) noexcept;
  ~JsonItem();

  const Json& tree() const;

 private:
  struct Text {
    const char* text;
  };
  explicit JsonItem(Text text);

  template <class T>
  void set(const T& value) {
    constexpr InlineForm kForm = inline_form<T>();
    if constexpr (std::same_as<T, bool>) {
      set_boolean(value);
    } else if constexpr (kForm == InlineForm::enumeration) {
      using Underlying = std::underlying_type_t<T>;
      if constexpr (std::is_unsigned_v<Underlying>) {
        set_unsigned(static_cast<std::uint64_t>(value));
      } else {
        set_signed(static_cast<std::int64_t>(value));
      }
    } else if constexpr (std::signed_integral<T>) {
      set_signed(value);
    } else if constexpr (std::unsigned_integral<T>) {
      set_unsigned(value);
    } else if constexpr (std::floating_point<T>) {
      set_number(static_cast<double>(value));
    } else if constexpr (kForm == InlineForm::scalar) {
      set_text(value);
    } else if constexpr (kForm == InlineForm::tree) {
      set_tree(value);
    } else if constexpr (kForm == InlineForm::wrapped) {
      const auto& wrapped = WrappedJson<T>::value(value);
      set<std::remove_cvref_t<decltype(wrapped)>>(wrapped);
    } else if constexpr (kForm == InlineForm::encoded) {
      set_encoded(encodable(value));
    } else if constexpr (kForm == InlineForm::converted) {
      to_json(mutable_tree(), value);
    } else if constexpr (kForm == InlineForm::object) {
      set_object();
      for (const auto& [name, member] : value) add(name, JsonItem(member));
    } else {
      set_array();
      for (const auto& item : value)
        add(JsonItem(static_cast<const typename T::value_type&>(item)));
    }
  }
  void set_boolean(bool value);
  void set_signed(std::int64_t value);
  void set_unsigned(std::uint64_t value);
  void set_number(double value);
  void set_text(std::string_view text);
  void set_tree(const Json& tree);
  void set_encoded(const EncodableData& data);
  void set_object();
  void set_array();
  void add(std::string_view name, JsonItem member);
  void add(JsonItem item);

  Json& mutable_tree() const;

  /// Of an fw::Json. Lists move it out of their items, which are constants.
  alignas(std::max_align_t) mutable std::byte storage_[32];
};

/// A JSON value that is an argument.
class JsonLiteral {
 public:
  JsonLiteral() = default;  ///< null
  JsonLiteral(std::initializer_list<JsonItem> items) : item_(items) {}
  /// @{
  /// A value; see JsonItem.
  JsonLiteral(std::nullptr_t) noexcept {}
  template <std::same_as<char> C>
  JsonLiteral(const C* text) : item_(text) {}
  template <InlineJson T>
  JsonLiteral(const T& value) : item_(value) {}
  /// @}

  const Json& tree() const { return item_.tree(); }

 private:
  JsonItem item_;
};

}  // namespace fw::detail
