// Response schemas and their documentation (docs/responses.md).
#pragma once

#include <fairway/json_fwd.hpp>
#include <fairway/schema.hpp>

#include <concepts>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace fw {

/// The statuses that a schema applies to: 201 or "201", "2xx", "default".
class Selector {
 public:
  /// One status: 201.
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Selector(T status) : text_(std::to_string(status)) {}
  /// @{
  /// "201", "2xx" or "default".
  template <detail::Character C>
  Selector(const C* text) : text_(text) {}
  template <detail::StringLike T>
  Selector(const T& text) : text_(text) {}
  /// @}

  /// As a string.
  const std::string& str() const { return text_.str(); }

 private:
  Text text_;
};

struct EventSchema;

/// What a stream consists of, instead of one value: events with names and schemas, or lines of one
/// schema. Created by `fw::events` and `fw::lines`.
class StreamSchema {
 public:
  /// Of the response.
  enum class Format {
    events,  ///< `text/event-stream`
    lines    ///< `application/x-ndjson`
  };

  /// See `events` and `lines`.
  StreamSchema(Format format, std::vector<EventSchema> events);

  Format format() const { return format_; }  ///< of the response
  /// The events, in the order of declaration; for lines, one without a name.
  const std::vector<EventSchema>& events() const { return *events_; }

 private:
  Format format_;
  std::shared_ptr<const std::vector<EventSchema>> events_;  // the type is still incomplete here
};

/// The schema of the response data: fields, an array, a DSL string, a C++ type, a JSON Schema, or a
/// stream of events or lines.
class ResponseSchema {
 public:
  /// The forms of a schema.
  using Value = std::variant<SchemaField, JsonSchema, StreamSchema>;

  /// @{
  /// An object with these fields.
  ResponseSchema(std::initializer_list<SchemaEntry> fields);
  ResponseSchema(SchemaMap fields);
  /// @}
  /// A C++ type: `fw::type<Order>`, `fw::type<std::vector<Order>>`
  ResponseSchema(TypeReference type);
  /// An array of objects.
  ResponseSchema(ArrayOf array);
  /// Any schema.
  ResponseSchema(JsonSchema schema);
  /// `fw::events({…})` or `fw::lines(…)`
  ResponseSchema(StreamSchema stream);
  /// @{
  /// A DSL string: "string", "array<integer>".
  template <detail::Character C>
  ResponseSchema(const C* dsl) : ResponseSchema(Dsl{dsl}) {}
  template <detail::StringLike T>
  ResponseSchema(const T& dsl) : ResponseSchema(Dsl{dsl}) {}
  /// @}

  /// As given.
  const Value& get() const { return *schema_.get(); }

 private:
  struct Dsl {
    std::string_view text;
  };
  explicit ResponseSchema(Dsl dsl);

  detail::Constant<Value> schema_;
};

/// A named event: `{"created", {{"id", "integer"}}}`.
struct EventSchema {
  /// The data has the forms of `ResponseSchema`, except for a stream.
  EventSchema(Text event, ResponseSchema schema)
      : name(std::move(event)), data(std::move(schema)) {}

  Text name;            ///< unique in the response
  ResponseSchema data;  ///< of the event
};

/// A stream of server-sent events, for `responses` of a route whose handler calls
/// `Response::events`: `{{"200", fw::events({{"created", kOrder}, {"deleted", {{"id",
/// "integer"}}}})}}`.
StreamSchema events(std::initializer_list<EventSchema> events);

/// A stream of JSON values, one in each line, for `responses` of a route whose handler calls
/// `Response::lines`: `{{"200", fw::lines({{"id", "integer"}})}}`.
StreamSchema lines(ResponseSchema data);

/// The schema of response data, in the same forms, or none.
class OptionalResponseSchema {
 public:
  OptionalResponseSchema() = default;                 ///< not declared
  OptionalResponseSchema(std::nullopt_t) noexcept {}  ///< not declared
  /// An object with these fields.
  OptionalResponseSchema(std::initializer_list<SchemaEntry> fields);
  /// @{
  /// Any schema.
  OptionalResponseSchema(ResponseSchema schema);
  template <detail::Character C>
  OptionalResponseSchema(const C* dsl) : OptionalResponseSchema(ResponseSchema(dsl)) {}
  template <class T>
    requires(!std::is_array_v<T> && std::convertible_to<const T&, ResponseSchema>)
  OptionalResponseSchema(const T& schema) : OptionalResponseSchema(ResponseSchema(schema)) {}
  /// @}

  /// Null: not declared.
  const ResponseSchema* get() const { return schema_.get(); }

 private:
  detail::Constant<ResponseSchema> schema_;
};

/// The schema of an object of data that is no JSON response, or none: fields, or a JSON Schema.
class DataSchema {
 public:
  DataSchema() = default;  ///< not declared
  /// @{
  /// An object with these fields.
  DataSchema(std::initializer_list<SchemaEntry> fields);
  DataSchema(SchemaMap fields);
  /// @}
  /// Any schema of an object.
  DataSchema(JsonSchema schema);

  /// Null: not declared.
  const ResponseSchema* get() const { return schema_.get(); }

 private:
  detail::Constant<ResponseSchema> schema_;
};

/// A list of named values in declaration order: `{{"201", …}, {"default", …}}`.
template <class Name, class Value>
class NamedList {
 public:
  /// A value and its name.
  struct Entry {
    /// `{"201", …}`
    Entry(Name entry_name, Value entry_value)
        : name(std::move(entry_name)), value(std::move(entry_value)) {}
    Name name;    ///< unique in the list
    Value value;  ///< as declared
  };

  NamedList() = default;  ///< empty
  /// In declaration order.
  NamedList(std::initializer_list<Entry> entries) : entries_(entries) {}
  /// For the framework.
  template <std::same_as<detail::List<Entry>> Entries>
  explicit NamedList(const Entries& entries) : entries_(entries) {}

  /// @{
  /// The entries, in declaration order.
  bool empty() const { return entries_.empty(); }
  const Entry* begin() const { return entries_.begin(); }
  const Entry* end() const { return entries_.end(); }
  /// @}

 private:
  detail::List<Entry> entries_;
};

using Responses = NamedList<Selector, ResponseSchema>;  ///< schemas of the response data by status

}  // namespace fw

#ifndef FAIRWAY_WITHOUT_JSON
#include <fairway/response_docs.hpp>
#endif
