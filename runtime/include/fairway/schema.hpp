// Declared schemas of a route (docs/validation.md, docs/responses.md):
//
//   .validate = {.body = {{"name", "string:1-50"},
//                         {"address", {{"city", "string"}, {"zip", "string?"}}},
//                         {"billing", fw::optional({{"city", "string"}})},
//                         {"tags", fw::array_of({{"key", "string"}})}}}
#pragma once

#include <fairway/text.hpp>
#include <fairway/type_reference.hpp>

#include <concepts>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace fw {

class SchemaEntry;
class SchemaField;

namespace schema_adapter {
class FieldBuilder;
}

/// Named fields in declaration order, or a C++ type.
class SchemaMap {
 public:
  SchemaMap() = default;  ///< no fields
  /// `{{"name", "string"}, {"age", "integer?"}}`
  SchemaMap(std::initializer_list<SchemaEntry> entries);
  /// The members of a struct: `fw::type<NewOrder>`
  SchemaMap(TypeReference type) : type_(type) {}
  /// @{
  /// Copies and moves.
  SchemaMap(const SchemaMap& other);
  SchemaMap(SchemaMap&& other) noexcept;
  SchemaMap& operator=(const SchemaMap& other);
  SchemaMap& operator=(SchemaMap&& other) noexcept;
  /// @}
  ~SchemaMap();

  bool empty() const;  ///< whether nothing is declared
  /// The fields, in declaration order; none for a C++ type.
  std::span<const SchemaEntry> entries() const;
  /// The C++ type; nothing for fields.
  const std::optional<TypeReference>& type() const { return type_; }

 private:
  std::optional<TypeReference> type_;
  // Immutable and shared: copies of options are cheap, and the entry type is still incomplete here.
  std::shared_ptr<const std::vector<SchemaEntry>> entries_;
};

/// An array whose items are objects with the given fields; see `array_of`.
class ArrayOf {
 public:
  /// See `array_of`.
  explicit ArrayOf(SchemaMap items) : items_(std::move(items)) {}
  /// The fields of each item.
  const SchemaMap& items() const { return items_; }

 private:
  SchemaMap items_;
};

/// A nested object, or an array of objects, that may be absent; see `optional`.
class OptionalField {
 public:
  /// @{
  /// See `optional`.
  explicit OptionalField(SchemaMap fields) : fields_(std::move(fields)) {}
  explicit OptionalField(ArrayOf array) : fields_(array.items()), is_array_(true) {}
  /// @}
  /// Of the object, or of each item of the array.
  const SchemaMap& fields() const { return fields_; }
  /// False: an object.
  bool is_array() const { return is_array_; }

 private:
  SchemaMap fields_;
  bool is_array_ = false;
};

/// One field's schema: a DSL string, a field builder, a nested object, or an array of objects.
class SchemaField {
 public:
  /// Which of the forms was given.
  enum class Form { dsl, builder, object, array };

  /// @{
  /// A DSL string: "string:1-50".
  template <detail::Character C>
  SchemaField(const C* dsl) : form_(Form::dsl), dsl_(dsl) {}
  template <detail::StringLike T>
  SchemaField(const T& dsl) : form_(Form::dsl), dsl_(dsl) {}
  /// @}
  /// A DSL string with a description.
  SchemaField(const schema_adapter::FieldBuilder& builder);
  /// @{
  /// A nested object.
  SchemaField(std::initializer_list<SchemaEntry> fields);
  SchemaField(SchemaMap fields);
  /// @}
  /// An array of objects.
  SchemaField(ArrayOf array);
  /// An object or an array that may be absent.
  SchemaField(OptionalField field);

  /// Tells which of the following members are meaningful.
  Form form() const { return form_; }
  /// For `dsl` and `builder`.
  const std::string& dsl() const { return dsl_.str(); }
  /// For `builder`.
  const std::string& description() const { return description_.str(); }
  /// The members of an object, or of each item of an array.
  const SchemaMap& fields() const { return fields_; }
  /// Whether the object or the array is in `fw::optional`. A DSL string has a `?` instead.
  bool is_optional() const { return optional_; }

 private:
  Form form_;
  bool optional_ = false;
  Text dsl_;
  Text description_;
  SchemaMap fields_;
};

/// A name with its schema.
class SchemaEntry {
 public:
  /// `{"name", "string"}`
  SchemaEntry(Text name, SchemaField field);
  /// @{
  /// Copies and moves.
  SchemaEntry(const SchemaEntry& other);
  SchemaEntry(SchemaEntry&& other) noexcept;
  SchemaEntry& operator=(const SchemaEntry& other);
  SchemaEntry& operator=(SchemaEntry&& other) noexcept;
  /// @}
  ~SchemaEntry();
  /// @{
  /// As given.
  const std::string& name() const { return name_.str(); }
  const SchemaField& field() const { return field_; }
  /// @}

 private:
  Text name_;
  SchemaField field_;
};

/// The schema of an array of objects with these fields.
inline ArrayOf array_of(SchemaMap items) { return ArrayOf(std::move(items)); }

/// An object that may be absent: `{"address", fw::optional({{"city", "string"}})}`. In the
/// generated structs it is a `std::optional`.
inline OptionalField optional(SchemaMap fields) { return OptionalField(std::move(fields)); }

/// The same for an array: `fw::optional(fw::array_of({{"key", "string"}}))`. A template, so that
/// braces always mean an object.
template <std::same_as<ArrayOf> A>
OptionalField optional(A array) {
  return OptionalField(std::move(array));
}

/// A JSON Schema, for response schemas that the DSL cannot express.
struct JsonSchema {
  std::string text;  ///< JSON
};

/// `fw::json_schema(R"({"type": "object"})")`. The schema is checked when the routes are compiled.
inline JsonSchema json_schema(const Text& text) { return JsonSchema{text.str()}; }

/// Fields with documentation.
namespace schema_adapter {

/// A field with documentation; `compile_field("email").description("…")`.
class FieldBuilder {
 public:
  /// See `compile_field`.
  explicit FieldBuilder(Text dsl) : dsl_(dsl.str()) {}
  /// Sets the description in the OpenAPI document. Call it at most once.
  FieldBuilder description(const Text& text) const {
    FieldBuilder copy = *this;
    copy.description_ = text.str();
    return copy;
  }
  /// @{
  /// As given.
  const std::string& dsl() const { return dsl_; }
  const std::string& description() const { return description_; }
  /// @}

 private:
  std::string dsl_;
  std::string description_;
};

/// A field of this DSL string, to which a description can be added.
inline FieldBuilder compile_field(Text dsl) { return FieldBuilder(std::move(dsl)); }

}  // namespace schema_adapter

/// The schemas of the five request locations. An empty map declares nothing.
struct Validate {
  SchemaMap param = {};   ///< parameters of the path; 400 if invalid
  SchemaMap query = {};   ///< 422 if invalid, like the following
  SchemaMap header = {};  ///< names in any case
  SchemaMap cookie = {};  ///< by name
  SchemaMap body = {};    ///< JSON or urlencoded
};

}  // namespace fw
