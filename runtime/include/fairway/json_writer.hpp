// Writes structs as JSON text, for generated code and for FW_JSON:
//
//   void fw_encode(fw::detail::JsonWriter& out, const Point& value) {
//     out.raw(R"({"x":)");
//     out.integer(value.x);
//     out.raw(R"(,"y":)");
//     out.integer(value.y);
//     out.raw("}");
//   }
#pragma once

#include <fairway/json_fwd.hpp>
#include <fairway/plain_struct.hpp>
#include <fairway/text_writer.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <typeinfo>
#include <vector>

namespace fw::detail {

/// Writes JSON text. The caller must write commas and brackets.
class JsonWriter : public TextWriter {
 public:
  /// Appends text that is valid JSON at this position.
  void raw(std::string_view text) { put(text); }
  /// A name with its colon, for a member that may be the first one of its object.
  void member(std::string_view name) {
    if (content().back() != '{') put(',');
    put(name);
  }
  /// Invalid UTF-8 becomes U+FFFD.
  void string(std::string_view text);
  void integer(std::int64_t number) { put_number(number); }
  /// The shortest form that is read as the same number, always with a point or an exponent ("1.0",
  /// "1e+16"); `null` for infinities and NaN.
  void number(double number);
  void boolean(bool value) { raw(value ? "true" : "false"); }
  /// A JSON value, as by the functions above. Throws std::length_error if it is nested more than
  /// 1024 levels deep, because writing it recurses.
  void tree(const Json& value) { tree(value, 1024); }
  /// False if there was a number that JSON cannot have: an infinity or NaN.
  bool is_exact() const { return not_finite_.empty(); }
  /// Where such numbers are in the text, as `null`.
  const std::vector<std::size_t>& not_finite() const { return not_finite_; }

  template <class T, class WriteItem>
  void array(const std::vector<T>& items, WriteItem write_item) {
    char before = '[';
    for (const auto& item : items) {
      put(before);
      write_item(item);
      before = ',';
    }
    raw(items.empty() ? "[]" : "]");
  }

 private:
  void tree(const Json& value, int levels);

  std::vector<std::size_t> not_finite_;
};

/// A struct that can be written without a JSON tree.
template <class T>
concept Encodable = requires(JsonWriter& out, const T& value) { fw_encode(out, value); };

template <class T>
  requires requires(JsonWriter& out, const T& item) { fw_encode(out, item); }
void fw_encode(JsonWriter& out, const std::vector<T>& items) {
  out.array(items, [&out](const T& item) { fw_encode(out, item); });
}

/// A reference to a value of any type that can be written.
struct EncodableData {
  const void* value;
  const std::type_info& type;
  void (*encode)(JsonWriter& out, const void* value);
  void (*convert)(Json& tree, const void* value) = nullptr;  ///< the type's own `to_json`, if any

  /// The tree of the value: of what `encode` writes, if the type has no `to_json`.
  Json to_tree() const;
};

template <Encodable T>
EncodableData encodable(const T& data) {
  EncodableData result{&data, typeid(T), [](JsonWriter& out, const void* value) {
                         fw_encode(out, *static_cast<const T*>(value));
                       }};
  if constexpr (HasToJsonFunction<T> && !WritesBySerializer<T>) {
    result.convert = [](Json& tree, const void* value) {
      to_json(tree, *static_cast<const T*>(value));
    };
  }
  return result;
}

}  // namespace fw::detail
