// The functions of the types of which the options of a route consist. They are not inline, so that
// route files need not compile them.
#include <fairway/auth.hpp>
#include <fairway/docs.hpp>
#include <fairway/inline_route_options.hpp>
#include <fairway/responses.hpp>
#include <fairway/route_options.hpp>
#include <fairway/schema.hpp>
#include <fairway/socket_messages.hpp>

#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/declared_impl.hpp"

namespace fw {

// Schemas.

SchemaMap::SchemaMap(std::initializer_list<SchemaEntry> entries)
    : entries_(std::make_shared<const std::vector<SchemaEntry>>(entries)) {}
SchemaMap::SchemaMap(const SchemaMap& other) = default;
SchemaMap::SchemaMap(SchemaMap&& other) noexcept = default;
SchemaMap& SchemaMap::operator=(const SchemaMap& other) = default;
SchemaMap& SchemaMap::operator=(SchemaMap&& other) noexcept = default;
SchemaMap::~SchemaMap() = default;

bool SchemaMap::empty() const { return !type_ && (!entries_ || entries_->empty()); }
std::span<const SchemaEntry> SchemaMap::entries() const {
  return entries_ ? std::span<const SchemaEntry>(*entries_) : std::span<const SchemaEntry>();
}

SchemaField::SchemaField(const schema_adapter::FieldBuilder& builder)
    : form_(Form::builder), dsl_(builder.dsl()), description_(builder.description()) {}
SchemaField::SchemaField(std::initializer_list<SchemaEntry> fields)
    : form_(Form::object), fields_(fields) {}
SchemaField::SchemaField(SchemaMap fields) : form_(Form::object), fields_(std::move(fields)) {}
SchemaField::SchemaField(ArrayOf array) : form_(Form::array), fields_(array.items()) {}
SchemaField::SchemaField(OptionalField field)
    : form_(field.is_array() ? Form::array : Form::object),
      optional_(true),
      fields_(field.fields()) {}

SchemaEntry::SchemaEntry(Text name, SchemaField field)
    : name_(std::move(name)), field_(std::move(field)) {}
SchemaEntry::SchemaEntry(const SchemaEntry& other) = default;
SchemaEntry::SchemaEntry(SchemaEntry&& other) noexcept = default;
SchemaEntry& SchemaEntry::operator=(const SchemaEntry& other) = default;
SchemaEntry& SchemaEntry::operator=(SchemaEntry&& other) noexcept = default;
SchemaEntry::~SchemaEntry() = default;

// Responses.

StreamSchema::StreamSchema(Format format, std::vector<EventSchema> events)
    : format_(format),
      events_(std::make_shared<const std::vector<EventSchema>>(std::move(events))) {}
StreamSchema events(std::initializer_list<EventSchema> events) {
  return StreamSchema(StreamSchema::Format::events, std::vector<EventSchema>(events));
}
StreamSchema lines(ResponseSchema data) {
  return StreamSchema(StreamSchema::Format::lines, {EventSchema(Text(), std::move(data))});
}

ResponseSchema::ResponseSchema(std::initializer_list<SchemaEntry> fields)
    : schema_(SchemaField(fields)) {}
ResponseSchema::ResponseSchema(SchemaMap fields) : schema_(SchemaField(std::move(fields))) {}
ResponseSchema::ResponseSchema(TypeReference type) : schema_(SchemaField(SchemaMap(type))) {}
ResponseSchema::ResponseSchema(ArrayOf array) : schema_(SchemaField(std::move(array))) {}
ResponseSchema::ResponseSchema(JsonSchema schema) : schema_(std::move(schema)) {}
ResponseSchema::ResponseSchema(StreamSchema stream) : schema_(std::move(stream)) {}
ResponseSchema::ResponseSchema(Dsl dsl) : schema_(SchemaField(dsl.text)) {}

OptionalResponseSchema::OptionalResponseSchema(std::initializer_list<SchemaEntry> fields)
    : schema_(ResponseSchema(fields)) {}
OptionalResponseSchema::OptionalResponseSchema(ResponseSchema schema)
    : schema_(std::move(schema)) {}

DataSchema::DataSchema(std::initializer_list<SchemaEntry> fields)
    : schema_(ResponseSchema(fields)) {}
DataSchema::DataSchema(SchemaMap fields) : schema_(ResponseSchema(std::move(fields))) {}
DataSchema::DataSchema(JsonSchema schema) : schema_(ResponseSchema(std::move(schema))) {}

// Documentation and identity.

SecurityRequirements::SecurityRequirements(Scheme scheme)
    : alternatives_{{SecurityScheme(Text(scheme.name))}} {}

PermissionArgument::PermissionArgument(
    std::initializer_list<nlohmann::detail::json_ref<Json>> value)
    : value_(Json(value)) {}
PermissionArgument::PermissionArgument(const PermissionArgument& other) = default;
PermissionArgument::PermissionArgument(PermissionArgument&& other) noexcept = default;
PermissionArgument& PermissionArgument::operator=(const PermissionArgument& other) = default;
PermissionArgument& PermissionArgument::operator=(PermissionArgument&& other) noexcept = default;
PermissionArgument::~PermissionArgument() = default;
void PermissionArgument::set(const Json& value) { value_ = detail::Constant(Value(value)); }
void PermissionArgument::set_function(Function function) {
  value_ = detail::Constant(Value(std::move(function)));
}

const std::variant<Json, PermissionArgument::Function>& PermissionArgument::get() const {
  static const std::variant<Json, Function> null;
  return value_.get() == nullptr ? null : *value_.get();
}
Json PermissionArgument::evaluate(Request& request) const {
  if (const auto* function = std::get_if<Function>(&get())) return (*function)(request);
  return std::get<Json>(get());
}

Auth::Auth(AuthRequirement requirement)
    : declared_(true), enabled_(true), requirement_(std::move(requirement)) {}
const AuthRequirement& Auth::requirement() const {
  static const AuthRequirement defaults;
  return requirement_.get() == nullptr ? defaults : *requirement_.get();
}

// Middlewares and the cache.

MiddlewareRef::MiddlewareRef(Text middleware, Json options)
    : name_(std::move(middleware)), options_(std::move(options)) {}
MiddlewareRef::MiddlewareRef(const MiddlewareRef& other) = default;
MiddlewareRef::MiddlewareRef(MiddlewareRef&& other) noexcept = default;
MiddlewareRef& MiddlewareRef::operator=(const MiddlewareRef& other) = default;
MiddlewareRef& MiddlewareRef::operator=(MiddlewareRef&& other) noexcept = default;
MiddlewareRef::~MiddlewareRef() = default;

void MiddlewareRef::set_options(const Json& options) { options_ = detail::Constant(options); }

const Json& MiddlewareRef::options() const {
  return options_.get() == nullptr ? detail::null_json() : *options_.get();
}

CacheKey::CacheKey(Fixed fixed) : key_(std::move(fixed.text)) {}
CacheKey::CacheKey(Computed computed) : key_(std::move(computed.function)) {}
const std::variant<std::monostate, Text, CacheKey::Function>& CacheKey::get() const {
  static const std::variant<std::monostate, Text, Function> none;
  return key_.get() == nullptr ? none : *key_.get();
}

Cache::Cache(Milliseconds ttl) : declared_(true) {
  if (ttl.count() != 0) options_ = detail::Constant(RouteCacheOptions{.ttl = ttl});
}
Cache::Cache(RouteCacheOptions options) : declared_(true), options_(std::move(options)) {}

namespace detail {

template class Constant<ResponseSchema::Value>;
template class Constant<ResponseSchema>;
template class Constant<Json>;
template class Constant<std::variant<Json, PermissionArgument::Function>>;
template class Constant<AuthRequirement>;
template class Constant<std::variant<std::monostate, Text, CacheKey::Function>>;
template class Constant<RouteCacheOptions>;

template class Constant<std::vector<SecurityScheme>>;
template class List<SecurityScheme>;
template class Constant<std::vector<SecurityRequirement>>;
template class List<SecurityRequirement>;
template class Constant<std::vector<MessageSchema>>;
template class List<MessageSchema>;
template class Constant<std::vector<MiddlewareRef>>;
template class List<MiddlewareRef>;
template class Constant<std::vector<FileField>>;
template class List<FileField>;
template class Constant<std::vector<Responses::Entry>>;
template class List<Responses::Entry>;
template class Constant<std::vector<NamedList<Selector, ResponseDocs>::Entry>>;
template class List<NamedList<Selector, ResponseDocs>::Entry>;
template class Constant<std::vector<NamedList<Text, ResponseExample>::Entry>>;
template class List<NamedList<Text, ResponseExample>::Entry>;
template class Constant<std::vector<NamedList<Text, ResponseHeader>::Entry>>;
template class List<NamedList<Text, ResponseHeader>::Entry>;
template class Constant<std::vector<NamedList<Selector, InlineResponseDocs>::Entry>>;
template class List<NamedList<Selector, InlineResponseDocs>::Entry>;
template class Constant<std::vector<NamedList<Text, InlineResponseExample>::Entry>>;
template class List<NamedList<Text, InlineResponseExample>::Entry>;
template class Constant<std::vector<NamedList<Text, InlineResponseHeader>::Entry>>;
template class List<NamedList<Text, InlineResponseHeader>::Entry>;

}  // namespace detail

}  // namespace fw
