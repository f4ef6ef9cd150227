#include "app/declaration_json.hpp"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <variant>

#include "errors/exception_info.hpp"
#include "options/option_members.hpp"
#include "pipeline/type_registry.hpp"

namespace fw::detail {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct InputName {
  SchemaMap Validate::* member;
  const char* option;
  const char* parameter;  ///< of a handler
};

/// In the order of `Location`.
constexpr std::array<InputName, 5> kInputs{{
    {&Validate::param, "param", "Param"},
    {&Validate::query, "query", "Query"},
    {&Validate::header, "header", "Header"},
    {&Validate::cookie, "cookie", "Cookie"},
    {&Validate::body, "body", "Body"},
}};

OrderedJson fields_json(const SchemaMap& fields);

OrderedJson required_json(const SchemaField& field) {
  switch (field.form()) {
    case SchemaField::Form::dsl:
      return field.dsl();
    case SchemaField::Form::builder:
      return {{"$field", field.dsl()}, {"description", field.description()}};
    case SchemaField::Form::object:
      return fields_json(field.fields());
    default: {
      OrderedJson list = OrderedJson::array();
      list.push_back(fields_json(field.fields()));
      return list;
    }
  }
}

OrderedJson field_json(const SchemaField& field) {
  if (field.is_optional()) return {{"$optional", required_json(field)}};
  return required_json(field);
}

OrderedJson fields_json(const SchemaMap& fields) {
  if (fields.type()) {
    return {{"$type", OrderedJson::parse(schema_text(row_of(*fields.type())))}};
  }
  OrderedJson json = OrderedJson::object();
  for (const SchemaEntry& entry : fields.entries()) json[entry.name()] = field_json(entry.field());
  return json;
}

OrderedJson response_json(const ResponseSchema& response) {
  if (const auto* stream = std::get_if<StreamSchema>(&response.get())) {
    if (stream->format() == StreamSchema::Format::lines) {
      return {{"$lines", response_json(stream->events().front().data)}};
    }
    OrderedJson events = OrderedJson::object();
    for (const EventSchema& event : stream->events()) {
      events.emplace(event.name.str(), response_json(event.data));
    }
    return {{"$events", std::move(events)}};
  }
  if (const auto* text = std::get_if<JsonSchema>(&response.get())) {
    return {{"$jsonSchema", text->text}};
  }
  return field_json(std::get<SchemaField>(response.get()));
}

OrderedJson function_json() { return {{"$function", true}}; }

// The value of a member in its form; null if it is not declared. Defaults are left out by
// `record_json`.

template <class Record>
OrderedJson record_json(const Record& record);

template <options::IsRecord Record>
OrderedJson value_json(const Record& record) {
  return record_json(record);
}

OrderedJson value_json(bool value) { return value; }
OrderedJson value_json(int value) { return value; }
OrderedJson value_json(double value) { return value; }
OrderedJson value_json(const Milliseconds& value) { return value.count(); }
OrderedJson value_json(const Text& value) { return value.str(); }
OrderedJson value_json(const Json& value) { return OrderedJson(value); }
OrderedJson value_json(const SchemaMap& value) { return fields_json(value); }
OrderedJson value_json(const ResponseSchema& value) { return response_json(value); }

OrderedJson value_json(const ByteSize& value) {
  return value.is_set() ? OrderedJson(value.text()) : nullptr;
}

OrderedJson value_json(const TextList& value) {
  OrderedJson list = OrderedJson::array();
  for (const Text& text : value) list.push_back(text.str());
  return list;
}

template <class T>
OrderedJson value_json(const std::optional<T>& value) {
  return value ? value_json(*value) : nullptr;
}

/// Null: not declared.
template <class T>
OrderedJson value_json(const T* value) {
  return value != nullptr ? value_json(*value) : nullptr;
}

template <class Signature>
OrderedJson value_json(const std::function<Signature>& value) {
  return value ? function_json() : nullptr;
}

/// The first message of a name wins.
OrderedJson value_json(const Messages& messages) {
  if (messages.is_raw()) return "raw";
  OrderedJson object = OrderedJson::object();
  for (const MessageSchema& message : messages) {
    object.emplace(message.name.str(), fields_json(message.members));
  }
  return object;
}

OrderedJson value_json(const OptionalResponseSchema& value) { return value_json(value.get()); }
OrderedJson value_json(const DataSchema& value) { return value_json(value.get()); }

/// An object of named entries; the first entry of a name wins.
template <class Name, class Value>
OrderedJson value_json(const NamedList<Name, Value>& entries) {
  OrderedJson object = OrderedJson::object();
  for (const auto& entry : entries) object.emplace(entry.name.str(), value_json(entry.value));
  return object;
}

OrderedJson value_json(const FileFields& files) {
  OrderedJson object = OrderedJson::object();
  for (const FileField& field : files) object.emplace(field.name.str(), value_json(field.rules));
  return object;
}

/// In the form of OpenAPI; null if it is inferred.
OrderedJson value_json(const SecurityRequirements& requirements) {
  if (!requirements.declared()) return nullptr;
  OrderedJson alternatives = OrderedJson::array();
  for (const SecurityRequirement& alternative : requirements.alternatives()) {
    OrderedJson schemes = OrderedJson::object();
    for (const SecurityScheme& scheme : alternative.schemes()) {
      schemes.emplace(scheme.name.str(), value_json(scheme.scopes));
    }
    alternatives.push_back(std::move(schemes));
  }
  return alternatives;
}

OrderedJson argument_json(const PermissionArgument& argument) {
  const auto* value = std::get_if<Json>(&argument.get());
  return value != nullptr ? OrderedJson(*value) : function_json();
}

OrderedJson value_json(const std::vector<Permission>& permissions) {
  OrderedJson list = OrderedJson::array();
  for (const Permission& permission : permissions) {
    OrderedJson declared = {{"action", permission.action.str()}};
    for (const auto& [name, argument] :
         {std::pair("resource", &permission.resource), std::pair("context", &permission.context)}) {
      OrderedJson value = argument_json(*argument);
      if (!value.is_null()) declared[name] = std::move(value);
    }
    list.push_back(declared.size() == 1 ? OrderedJson(permission.action.str())
                                        : std::move(declared));
  }
  return list;
}

OrderedJson value_json(const Auth& auth) {
  if (!auth.declared()) return nullptr;
  return auth.enabled() ? record_json(auth.requirement()) : OrderedJson(false);
}

OrderedJson value_json(const CacheKey& key) {
  if (const auto* text = std::get_if<Text>(&key.get())) return text->str();
  return std::holds_alternative<CacheKey::Function>(key.get()) ? function_json() : nullptr;
}

/// `{}` is a declaration.
OrderedJson value_json(const CacheQuery& query) { return value_json(query.names()); }

OrderedJson value_json(const Cache& cache) {
  if (!cache.declared()) return nullptr;
  return cache.options() ? record_json(*cache.options()) : OrderedJson(false);
}

OrderedJson value_json(const MiddlewareRefs& references) {
  OrderedJson list = OrderedJson::array();
  for (const MiddlewareRef& reference : references) {
    if (reference.options().is_null()) {
      list.push_back(reference.name());
    } else {
      list.push_back({{"name", reference.name()}, {"options", OrderedJson(reference.options())}});
    }
  }
  return list;
}

OrderedJson value_json(const SessionSwitch& session) {
  if (!session.enabled()) return nullptr;
  return *session.enabled() ? record_json(session.options()) : OrderedJson(false);
}

OrderedJson value_json(const BodyParser& parser) {
  return parser.declared ? record_json(parser) : nullptr;
}

OrderedJson value_json(const Skip& skip) {
  return skip.skipped() ? OrderedJson(false) : OrderedJson();
}

OrderedJson value_json(const RateLimitOverride& limit) {
  if (!limit.declared()) return nullptr;
  return limit.enabled() ? record_json(limit.options()) : OrderedJson(false);
}

OrderedJson value_json(const Timeout& timeout) {
  if (!timeout.declared()) return nullptr;
  return timeout.deadline() ? OrderedJson(timeout.deadline()->count()) : OrderedJson(false);
}

/// The members of a record that do not have their default.
template <class Record>
OrderedJson record_json(const Record& record) {
  OrderedJson object = OrderedJson::object();
  const auto add = [&](const auto& row) {
    OrderedJson value = value_json(record.*row.member);
    if (value.is_null() ||
        options::is_default(options::option_member_of(row).default_value, value)) {
      return;
    }
    object[options::reference_name(row.name)] = std::move(value);
  };
  std::apply([&](const auto&... row) { (add(row), ...); }, options::RecordOf<Record>::kRows);
  return object;
}

}  // namespace

void declare_inputs(RouteRecord& record) {
  for (const HandlerInput& input : record.handler.inputs()) {
    const InputName& name = kInputs[static_cast<std::size_t>(input.location)];
    SchemaMap& declared = record.options.validate.*name.member;
    if (!declared.empty()) {
      throw std::logic_error(fmt::format(
          "validate.{} is declared in the options, and by the handler with fw::{}<{}>; keep one of "
          "them",
          name.option, name.parameter, type_name(input.type.type().name())));
    }
    declared = SchemaMap(input.type);
  }
}

OrderedJson declaration_of(const RouteRecord& record) {
  OrderedJson declaration = {{"method", record.method}, {"path", record.path}};
  declaration.update(record_json(record.options));
  return declaration;
}

}  // namespace fw::detail
