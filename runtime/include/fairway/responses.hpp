// Response schemas and their documentation (reference: Runtime response schema, Documentation).
#pragma once

#include <fairway/json.hpp>
#include <fairway/schema.hpp>

#include <concepts>
#include <optional>
#include <string>
#include <variant>

namespace fw {

/// The statuses that a schema applies to: 201 or "201", "2xx", "default".
class Selector {
 public:
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Selector(T status) : text_(std::to_string(status)) {}
  template <class T>
    requires std::convertible_to<const T&, std::string_view>
  Selector(const T& text) : text_(std::string_view(text)) {}

  const std::string& str() const { return text_; }

 private:
  std::string text_;
};

/// The schema of the response data: fields, an array, a DSL string, or a JSON Schema.
class ResponseSchema {
 public:
  ResponseSchema(std::initializer_list<SchemaEntry> fields) : schema_(SchemaField(fields)) {}
  ResponseSchema(SchemaMap fields) : schema_(SchemaField(std::move(fields))) {}
  ResponseSchema(ArrayOf array) : schema_(SchemaField(std::move(array))) {}
  ResponseSchema(JsonSchema schema) : schema_(std::move(schema)) {}
  template <class T>
    requires std::convertible_to<const T&, std::string_view>
  ResponseSchema(const T& dsl) : schema_(SchemaField(dsl)) {}

  const std::variant<SchemaField, JsonSchema>& get() const { return schema_; }

 private:
  std::variant<SchemaField, JsonSchema> schema_;
};

/// The schema of an object of data that is no JSON response, or none: fields, or a JSON Schema.
class DataSchema {
 public:
  DataSchema() = default;  ///< not declared
  DataSchema(std::initializer_list<SchemaEntry> fields) : schema_(ResponseSchema(fields)) {}
  DataSchema(SchemaMap fields) : schema_(ResponseSchema(std::move(fields))) {}
  DataSchema(JsonSchema schema) : schema_(ResponseSchema(std::move(schema))) {}

  const std::optional<ResponseSchema>& get() const { return schema_; }

 private:
  std::optional<ResponseSchema> schema_;
};

/// A list of named values in declaration order: `{{"201", …}, {"default", …}}`.
template <class Name, class Value>
class NamedList {
 public:
  struct Entry {
    Entry(Name entry_name, Value entry_value)
        : name(std::move(entry_name)), value(std::move(entry_value)) {}
    Name name;
    Value value;
  };

  NamedList() = default;
  NamedList(std::initializer_list<Entry> entries) : entries_(entries) {}

  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  std::vector<Entry> entries_;
};

using Responses = NamedList<Selector, ResponseSchema>;

/// `ResponseConfig.examples`: one named example.
struct ResponseExample {
  Text summary = {};
  Text description = {};
  Json value = {};
};

/// `ResponseConfig.headers`: one documented header.
struct ResponseHeader {
  Text description = {};
  Json schema = {};
};

/// `ResponseConfig` of the reference: documentation of one response.
struct ResponseDocs {
  Text description = {};
  std::optional<ResponseSchema> schema = {};
  Text content_type = {};
  Json example = {};
  NamedList<Text, ResponseExample> examples = {};
  NamedList<Text, ResponseHeader> headers = {};
};

}  // namespace fw
