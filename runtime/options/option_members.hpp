// The options of a route as data: a row for each member of RouteOptions and of the records in it.
// From these rows derive the declaration of a route as JSON (the manifest, and the digests that the
// start compares), its defaults, and what the route compiler reads of it. The type of a member
// determines its form; a new type of option needs a FormOf here.
//
// Values of options, and combinations of them, are constrained in option_constraints.cpp.
#pragma once

#include <fairway/route_options.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace fw::options {

using Json = nlohmann::ordered_json;

/// The form of a member in JSON.
enum class Form {
  plain,            ///< a scalar, a list of scalars, or {"$function": true}
  size,             ///< a number of bytes, or a string with a unit
  number,           ///< a number that may have a fraction
  json,             ///< any JSON value
  record,           ///< an object with the members of a record; `true` for a record without members
  named,            ///< an object with a record for each name, in order of declaration
  fields,           ///< the fields of a schema
  response_schema,  ///< a schema, {"$jsonSchema": string}, {"$events": {name: schema}} or
                    ///< {"$lines": schema}
  responses,        ///< an object from selector to such a schema
  messages,         ///< "raw", or an object from name to the fields of a schema
  middlewares,      ///< names, or {"name", "options"}
  permissions,      ///< actions, or {"action", "resource", "context"}
  security          ///< in the form of OpenAPI
};

/// The value that is equivalent to omitting the member.
enum class Default {
  none,       ///< every value is a declaration
  empty,      ///< "", [], {}
  off,        ///< false
  on,         ///< true
  any_string  ///< "any"
};

/// Whether a value in JSON is equivalent to omitting the member.
bool is_default(Default kind, const Json& value);

/// What the type of a member determines.
struct TypeForm {
  Form form = Form::plain;
  Default default_value = Default::none;
  /// The record of Form::record, and of the values of Form::named: "AuthRequirement".
  std::string_view record_type = {};
};

/// What a row states beyond the name and the member.
struct Details {
  std::optional<Default> default_value = {};  ///< if it is not the type's
  /// The member of the record that a value without braces sets.
  std::string_view shorthand = {};
  bool only_documents = false;  ///< not part of the effective declaration
};

/// A row.
template <class Record, class T>
struct MemberRow {
  std::string_view name;  ///< the name in C++: "body_parser"
  T Record::* member;
  Details details;
};

template <class Record, class T>
constexpr MemberRow<Record, T> member(std::string_view name, T Record::* pointer,
                                      Details details = {}) {
  return {name, pointer, details};
}

/// `name` and `rows` of a record, in the order of its declaration.
template <class Record>
struct RecordOf;

template <class T>
concept IsRecord = requires { RecordOf<T>::kName; };

/// `value`: the TypeForm of a type.
template <class T>
struct FormOf;

template <class T>
inline constexpr TypeForm kFormOf = FormOf<T>::kValue;

/// A row without C++ types, for JSON.
struct OptionMember {
  std::string_view record;  ///< "RouteOptions"
  std::string_view name;    ///< the name in C++: "body_parser"
  Form form = Form::plain;
  Default default_value = Default::none;
  std::string_view record_type = {};
  std::string_view shorthand = {};
  bool only_documents = false;
};

template <class Record, class T>
constexpr OptionMember option_member_of(const MemberRow<Record, T>& row) {
  constexpr TypeForm kType = kFormOf<T>;
  return {.record = RecordOf<Record>::kName,
          .name = row.name,
          .form = kType.form,
          .default_value = row.details.default_value.value_or(kType.default_value),
          .record_type = kType.record_type,
          .shorthand = row.details.shorthand,
          .only_documents = row.details.only_documents};
}

/// The name of a member in JSON: "bodyParser" for "body_parser", "override" for "override_".
std::string reference_name(std::string_view member);

/// The name of a member in C++: "body_parser" for "bodyParser", "override_" for "override".
std::string member_name(std::string_view reference_name);

// The rows.

inline constexpr Details kOn{.default_value = Default::on};
inline constexpr Details kOnlyDocuments{.only_documents = true};

template <>
struct RecordOf<RouteOptions> {
  static constexpr std::string_view kName = "RouteOptions";
  static constexpr auto kRows = std::tuple(
      member("validate", &RouteOptions::validate), member("auth", &RouteOptions::auth),
      member("cache", &RouteOptions::cache, {.shorthand = "ttl"}),
      member("middlewares", &RouteOptions::middlewares),
      member("responses", &RouteOptions::responses), member("docs", &RouteOptions::docs),
      member("multipart", &RouteOptions::multipart), member("session", &RouteOptions::session),
      member("body_parser", &RouteOptions::body_parser), member("csrf", &RouteOptions::csrf),
      member("override_", &RouteOptions::override_), member("timeout", &RouteOptions::timeout),
      member("security_headers", &RouteOptions::security_headers),
      member("compression", &RouteOptions::compression),
      member("frontend", &RouteOptions::frontend), member("events", &RouteOptions::events),
      member("receive", &RouteOptions::receive), member("send", &RouteOptions::send),
      member("socket", &RouteOptions::socket), member("objective", &RouteOptions::objective),
      member("mcp", &RouteOptions::mcp));
};

template <>
struct RecordOf<Validate> {
  static constexpr std::string_view kName = "Validate";
  static constexpr auto kRows =
      std::tuple(member("param", &Validate::param), member("query", &Validate::query),
                 member("header", &Validate::header), member("cookie", &Validate::cookie),
                 member("body", &Validate::body));
};

template <>
struct RecordOf<AuthRequirement> {
  static constexpr std::string_view kName = "AuthRequirement";
  static constexpr auto kRows = std::tuple(
      member("required", &AuthRequirement::required, kOn), member("roles", &AuthRequirement::roles),
      member("scopes", &AuthRequirement::scopes),
      member("permissions", &AuthRequirement::permissions),
      member("mode", &AuthRequirement::mode, {.default_value = Default::any_string}),
      member("check", &AuthRequirement::check),
      member("client_certificate", &AuthRequirement::client_certificate),
      member("security", &AuthRequirement::security, kOnlyDocuments));
};

template <>
struct RecordOf<RouteCacheOptions> {
  static constexpr std::string_view kName = "RouteCacheOptions";
  static constexpr auto kRows = std::tuple(
      member("ttl", &RouteCacheOptions::ttl), member("methods", &RouteCacheOptions::methods),
      member("headers", &RouteCacheOptions::headers), member("query", &RouteCacheOptions::query),
      member("key", &RouteCacheOptions::key),
      member("partition_key", &RouteCacheOptions::partition_key),
      member("condition", &RouteCacheOptions::condition), member("tags", &RouteCacheOptions::tags),
      member("stale_while_revalidate", &RouteCacheOptions::stale_while_revalidate),
      member("cache_control", &RouteCacheOptions::cache_control, kOn),
      member("allow_authorization_cache", &RouteCacheOptions::allow_authorization_cache),
      member("allow_cookie_cache", &RouteCacheOptions::allow_cookie_cache),
      member("allow_shared_caches", &RouteCacheOptions::allow_shared_caches));
};

template <>
struct RecordOf<Docs> {
  static constexpr std::string_view kName = "Docs";
  static constexpr auto kRows = std::tuple(
      member("summary", &Docs::summary, kOnlyDocuments),
      member("description", &Docs::description, kOnlyDocuments),
      member("tags", &Docs::tags, kOnlyDocuments), member("operation_id", &Docs::operation_id),
      member("hidden", &Docs::hidden, kOnlyDocuments),
      member("deprecated", &Docs::deprecated, kOnlyDocuments),
      member("security", &Docs::security, kOnlyDocuments),
      member("extensions", &Docs::extensions, kOnlyDocuments),
      member("responses", &Docs::responses, kOnlyDocuments),
      member("access", &Docs::access, kOnlyDocuments),
      member("request_body", &Docs::request_body, kOnlyDocuments));
};

template <>
struct RecordOf<ResponseDocs> {
  static constexpr std::string_view kName = "ResponseDocs";
  static constexpr auto kRows = std::tuple(
      member("description", &ResponseDocs::description), member("schema", &ResponseDocs::schema),
      member("content_type", &ResponseDocs::content_type),
      member("example", &ResponseDocs::example), member("examples", &ResponseDocs::examples),
      member("headers", &ResponseDocs::headers));
};

template <>
struct RecordOf<ResponseExample> {
  static constexpr std::string_view kName = "ResponseExample";
  static constexpr auto kRows = std::tuple(member("summary", &ResponseExample::summary),
                                           member("description", &ResponseExample::description),
                                           member("value", &ResponseExample::value));
};

template <>
struct RecordOf<ResponseHeader> {
  static constexpr std::string_view kName = "ResponseHeader";
  static constexpr auto kRows = std::tuple(member("description", &ResponseHeader::description),
                                           member("schema", &ResponseHeader::schema));
};

template <>
struct RecordOf<Multipart> {
  static constexpr std::string_view kName = "Multipart";
  static constexpr auto kRows =
      std::tuple(member("enabled", &Multipart::enabled),
                 member("files", &Multipart::files, {.shorthand = "description"}),
                 member("fields", &Multipart::fields), member("max_files", &Multipart::max_files),
                 member("max_file_size", &Multipart::max_file_size),
                 member("allowed_mime_types", &Multipart::allowed_mime_types));
};

template <>
struct RecordOf<FileRules> {
  static constexpr std::string_view kName = "FileRules";
  static constexpr auto kRows =
      std::tuple(member("description", &FileRules::description, kOnlyDocuments),
                 member("required", &FileRules::required));
};

template <>
struct RecordOf<SessionOptions> {
  static constexpr std::string_view kName = "SessionOptions";
  static constexpr auto kRows = std::tuple(member("rolling", &SessionOptions::rolling),
                                           member("auto_commit", &SessionOptions::auto_commit));
};

template <>
struct RecordOf<BodyParser> {
  static constexpr std::string_view kName = "BodyParser";
  static constexpr auto kRows = std::tuple(
      member("enabled", &BodyParser::enabled), member("max_body_size", &BodyParser::max_body_size),
      member("stream", &BodyParser::stream), member("declared", &BodyParser::declared, kOn));
};

template <>
struct RecordOf<Override> {
  static constexpr std::string_view kName = "Override";
  static constexpr auto kRows = std::tuple(
      member("rate_limit", &Override::rate_limit), member("timeout", &Override::timeout),
      member("max_body_size", &Override::max_body_size), member("cors", &Override::cors));
};

template <>
struct RecordOf<RateLimitOptions> {
  static constexpr std::string_view kName = "RateLimitOptions";
  static constexpr auto kRows =
      std::tuple(member("max", &RateLimitOptions::max), member("window", &RateLimitOptions::window),
                 member("key_by", &RateLimitOptions::key_by));
};

template <>
struct RecordOf<CorsOverride> {
  static constexpr std::string_view kName = "CorsOverride";
  static constexpr auto kRows = std::tuple(
      member("enabled", &CorsOverride::enabled), member("origins", &CorsOverride::origins),
      member("methods", &CorsOverride::methods), member("headers", &CorsOverride::headers),
      member("credentials", &CorsOverride::credentials), member("max_age", &CorsOverride::max_age));
};

template <>
struct RecordOf<Frontend> {
  static constexpr std::string_view kName = "Frontend";
  static constexpr auto kRows = std::tuple(
      member("page", &Frontend::page), member("data", &Frontend::data),
      member("mode", &Frontend::mode), member("static_params", &Frontend::static_params),
      member("revalidate", &Frontend::revalidate), member("client_only", &Frontend::client_only),
      member("hydration", &Frontend::hydration), member("seo", &Frontend::seo));
};

template <>
struct RecordOf<EventOptions> {
  static constexpr std::string_view kName = "EventOptions";
  static constexpr auto kRows =
      std::tuple(member("queue", &EventOptions::queue), member("overflow", &EventOptions::overflow),
                 member("retry", &EventOptions::retry),
                 member("max_per_address", &EventOptions::max_per_address));
};

template <>
struct RecordOf<SocketOptions> {
  static constexpr std::string_view kName = "SocketOptions";
  static constexpr auto kRows = std::tuple(
      member("max_message", &SocketOptions::max_message), member("queue", &SocketOptions::queue),
      member("overflow", &SocketOptions::overflow), member("protocols", &SocketOptions::protocols),
      member("origins", &SocketOptions::origins),
      member("close_on_invalid", &SocketOptions::close_on_invalid),
      member("max_per_address", &SocketOptions::max_per_address));
};

template <>
struct RecordOf<Objective> {
  static constexpr std::string_view kName = "Objective";
  static constexpr auto kRows =
      std::tuple(member("p99", &Objective::p99), member("availability", &Objective::availability));
};

// The forms of types.

template <Form form, Default default_value>
struct SimpleForm {
  static constexpr TypeForm kValue{form, default_value};
};
template <class Record, Form form, Default default_value>
struct FormWithRecord {
  static constexpr TypeForm kValue{form, default_value, RecordOf<Record>::kName};
};

template <class T>
struct FormOf<std::optional<T>> : SimpleForm<Form::plain, Default::none> {};
template <>
struct FormOf<std::optional<double>> : SimpleForm<Form::number, Default::none> {};
template <class Signature>
struct FormOf<std::function<Signature>> : SimpleForm<Form::plain, Default::none> {};
template <>
struct FormOf<bool> : SimpleForm<Form::plain, Default::off> {};
template <>
struct FormOf<Text> : SimpleForm<Form::plain, Default::empty> {};
template <>
struct FormOf<TextList> : SimpleForm<Form::plain, Default::empty> {};
template <>
struct FormOf<CacheKey> : SimpleForm<Form::plain, Default::none> {};
template <>
struct FormOf<CacheQuery> : SimpleForm<Form::plain, Default::none> {};
template <>
struct FormOf<Skip> : SimpleForm<Form::plain, Default::none> {};
template <>
struct FormOf<Timeout> : SimpleForm<Form::plain, Default::none> {};
template <>
struct FormOf<ByteSize> : SimpleForm<Form::size, Default::empty> {};
template <>
struct FormOf<fw::Json> : SimpleForm<Form::json, Default::none> {};
template <>
struct FormOf<SchemaMap> : SimpleForm<Form::fields, Default::empty> {};
template <>
struct FormOf<OptionalResponseSchema> : SimpleForm<Form::response_schema, Default::none> {};
template <>
struct FormOf<DataSchema> : SimpleForm<Form::response_schema, Default::empty> {};
template <>
struct FormOf<Responses> : SimpleForm<Form::responses, Default::empty> {};
template <>
struct FormOf<Messages> : SimpleForm<Form::messages, Default::empty> {};
template <>
struct FormOf<MiddlewareRefs> : SimpleForm<Form::middlewares, Default::empty> {};
template <>
struct FormOf<std::vector<Permission>> : SimpleForm<Form::permissions, Default::empty> {};
template <>
struct FormOf<SecurityRequirements> : SimpleForm<Form::security, Default::none> {};

template <IsRecord T>
struct FormOf<T> : FormWithRecord<T, Form::record, Default::empty> {};
template <>
struct FormOf<BodyParser> : FormWithRecord<BodyParser, Form::record, Default::none> {};
template <>
struct FormOf<Auth> : FormWithRecord<AuthRequirement, Form::record, Default::none> {};
template <>
struct FormOf<Cache> : FormWithRecord<RouteCacheOptions, Form::record, Default::none> {};
template <>
struct FormOf<SessionSwitch> : FormWithRecord<SessionOptions, Form::record, Default::none> {};
template <>
struct FormOf<RateLimitOverride> : FormWithRecord<RateLimitOptions, Form::record, Default::none> {};
template <>
struct FormOf<FileFields> : FormWithRecord<FileRules, Form::named, Default::empty> {};
template <class Name, IsRecord Record>
struct FormOf<NamedList<Name, Record>> : FormWithRecord<Record, Form::named, Default::empty> {};

// All rows without their types.

template <class... Records>
constexpr auto rows_of_records() {
  constexpr auto of_record = []<class Record>(const Record*) {
    return std::apply([](const auto&... row) { return std::array{option_member_of(row)...}; },
                      RecordOf<Record>::kRows);
  };
  std::array<OptionMember, (std::tuple_size_v<decltype(RecordOf<Records>::kRows)> + ...)> all;
  auto next = all.begin();
  ((next = std::ranges::copy(of_record(static_cast<const Records*>(nullptr)), next).out), ...);
  return all;
}

/// The members of a record are in the order of its declaration.
inline constexpr auto kOptionMembers =
    rows_of_records<RouteOptions, Validate, AuthRequirement, RouteCacheOptions, Docs, ResponseDocs,
                    ResponseExample, ResponseHeader, Multipart, FileRules, SessionOptions,
                    BodyParser, Override, RateLimitOptions, CorsOverride, Frontend, EventOptions,
                    SocketOptions, Objective>();

/// The row of a member; null if there is none.
constexpr const OptionMember* find_option_member(std::string_view record, std::string_view name) {
  for (const OptionMember& row : kOptionMembers) {
    if (row.record == record && row.name == name) return &row;
  }
  return nullptr;
}

/// The same, but throws std::logic_error if there is none.
const OptionMember& option_member(std::string_view record, std::string_view name);

}  // namespace fw::options
