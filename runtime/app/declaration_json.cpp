#include "app/declaration_json.hpp"

#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

namespace fw::detail {
namespace {

using OrderedJson = nlohmann::ordered_json;

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
  OrderedJson json = OrderedJson::object();
  for (const SchemaEntry& entry : fields.entries()) json[entry.name()] = field_json(entry.field());
  return json;
}

OrderedJson response_json(const ResponseSchema& response) {
  if (const auto* text = std::get_if<JsonSchema>(&response.get())) {
    return {{"$jsonSchema", text->text}};
  }
  return field_json(std::get<SchemaField>(response.get()));
}

OrderedJson function_json() { return {{"$function", true}}; }

/// Collects the declared members of a record in order.
class Members {
 public:
  void string(const char* name, const Text& value, std::string_view unset = "") {
    if (value.str() != unset) object_[name] = value.str();
  }
  void strings(const char* name, const TextList& values) {
    for (const Text& value : values) object_[name].push_back(value.str());
  }
  void size(const char* name, const ByteSize& value) {
    if (value.is_set()) object_[name] = value.text();
  }
  void flag(const char* name, bool value, bool unset = false) {
    if (value != unset) object_[name] = value;
  }
  void duration(const char* name, const std::optional<Milliseconds>& value) {
    if (value) object_[name] = value->count();
  }
  template <class T>
  void optional(const char* name, const std::optional<T>& value) {
    if (value) object_[name] = *value;
  }
  template <class Signature>
  void function(const char* name, const std::function<Signature>& value) {
    if (value) object_[name] = function_json();
  }
  void json(const char* name, const Json& value) { declared(name, OrderedJson(value)); }
  /// Null means that the member is not declared.
  void declared(const char* name, OrderedJson value) {
    if (!value.is_null()) object_[name] = std::move(value);
  }
  /// An object or array, which is not declared if it is empty.
  void filled(const char* name, OrderedJson value) {
    if (!value.empty()) object_[name] = std::move(value);
  }
  OrderedJson take() { return std::move(object_); }

 private:
  OrderedJson object_ = OrderedJson::object();
};

OrderedJson validate_json(const Validate& validate) {
  Members members;
  members.filled("param", fields_json(validate.param));
  members.filled("query", fields_json(validate.query));
  members.filled("header", fields_json(validate.header));
  members.filled("cookie", fields_json(validate.cookie));
  members.filled("body", fields_json(validate.body));
  return members.take();
}

/// In the form of OpenAPI; null if it is inferred.
OrderedJson security_json(const SecurityRequirements& requirements) {
  if (!requirements.declared()) return nullptr;
  OrderedJson alternatives = OrderedJson::array();
  for (const SecurityRequirement& alternative : requirements.alternatives()) {
    OrderedJson schemes = OrderedJson::object();
    for (const SecurityScheme& scheme : alternative.schemes()) {
      OrderedJson scopes = OrderedJson::array();
      for (const Text& scope : scheme.scopes) scopes.push_back(scope.str());
      schemes.emplace(scheme.name.str(), std::move(scopes));
    }
    alternatives.push_back(std::move(schemes));
  }
  return alternatives;
}

OrderedJson argument_json(const PermissionArgument& argument) {
  const auto* value = std::get_if<Json>(&argument.get());
  return value != nullptr ? OrderedJson(*value) : function_json();
}

OrderedJson permissions_json(const std::vector<Permission>& permissions) {
  OrderedJson list = OrderedJson::array();
  for (const Permission& permission : permissions) {
    Members members;
    members.declared("action", permission.action.str());
    members.declared("resource", argument_json(permission.resource));
    members.declared("context", argument_json(permission.context));
    OrderedJson declared = members.take();
    list.push_back(declared.size() == 1 ? OrderedJson(permission.action.str())
                                        : std::move(declared));
  }
  return list;
}

OrderedJson auth_json(const Auth& auth) {
  if (!auth.declared()) return nullptr;
  if (!auth.enabled()) return false;
  const AuthRequirement& requirement = auth.requirement();
  Members members;
  members.flag("required", requirement.required, true);
  members.strings("roles", requirement.roles);
  members.strings("scopes", requirement.scopes);
  members.filled("permissions", permissions_json(requirement.permissions));
  members.string("mode", requirement.mode, "any");
  members.function("check", requirement.check);
  members.declared("security", security_json(requirement.security));
  return members.take();
}

OrderedJson cache_key_json(const CacheKey& key) {
  if (const auto* text = std::get_if<Text>(&key.get())) return text->str();
  return std::holds_alternative<CacheKey::Function>(key.get()) ? function_json() : nullptr;
}

/// Null if it is not declared. `{}` is a declaration.
OrderedJson cache_query_json(const CacheQuery& query) {
  if (!query.names()) return nullptr;
  OrderedJson names = OrderedJson::array();
  for (const Text& name : *query.names()) names.push_back(name.str());
  return names;
}

OrderedJson cache_json(const Cache& cache) {
  if (!cache.declared()) return nullptr;
  if (!cache.options()) return false;
  const RouteCacheOptions& options = *cache.options();
  Members members;
  members.duration("ttl", options.ttl);
  members.strings("methods", options.methods);
  members.strings("headers", options.headers);
  members.declared("query", cache_query_json(options.query));
  members.declared("key", cache_key_json(options.key));
  members.function("partitionKey", options.partition_key);
  members.function("condition", options.condition);
  members.strings("tags", options.tags);
  members.duration("staleWhileRevalidate", options.stale_while_revalidate);
  members.flag("cacheControl", options.cache_control, true);
  members.flag("allowAuthorizationCache", options.allow_authorization_cache);
  members.flag("allowCookieCache", options.allow_cookie_cache);
  members.flag("allowSharedCaches", options.allow_shared_caches);
  return members.take();
}

OrderedJson middlewares_json(const MiddlewareRefs& references) {
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

/// An object of named entries; the first entry of a name wins.
template <class Entries, class ToJson>
OrderedJson named_json(const Entries& entries, ToJson to_json) {
  OrderedJson object = OrderedJson::object();
  for (const auto& entry : entries) object.emplace(entry.name.str(), to_json(entry.value));
  return object;
}

OrderedJson example_json(const ResponseExample& example) {
  Members members;
  members.string("summary", example.summary);
  members.string("description", example.description);
  members.json("value", example.value);
  return members.take();
}

OrderedJson header_json(const ResponseHeader& header) {
  Members members;
  members.string("description", header.description);
  members.json("schema", header.schema);
  return members.take();
}

OrderedJson response_docs_json(const ResponseDocs& response) {
  Members members;
  members.string("description", response.description);
  if (const auto& schema = response.schema.get()) {
    members.declared("schema", response_json(*schema));
  }
  members.string("contentType", response.content_type);
  members.json("example", response.example);
  members.filled("examples", named_json(response.examples, example_json));
  members.filled("headers", named_json(response.headers, header_json));
  return members.take();
}

OrderedJson docs_json(const Docs& docs) {
  Members members;
  members.string("summary", docs.summary);
  members.string("description", docs.description);
  members.strings("tags", docs.tags);
  members.string("operationId", docs.operation_id);
  members.flag("hidden", docs.hidden);
  members.flag("deprecated", docs.deprecated);
  members.declared("security", security_json(docs.security));
  members.json("extensions", docs.extensions);
  members.filled("responses", named_json(docs.responses, response_docs_json));
  members.json("access", docs.access);
  members.json("requestBody", docs.request_body);
  return members.take();
}

OrderedJson multipart_json(const Multipart& multipart) {
  OrderedJson files = OrderedJson::object();
  for (const FileField& field : multipart.files) {
    Members rules;
    rules.string("description", field.rules.description);
    rules.flag("required", field.rules.required);
    files.emplace(field.name.str(), rules.take());
  }
  Members members;
  members.optional("enabled", multipart.enabled);
  members.filled("files", std::move(files));
  members.optional("fields", multipart.fields);
  members.optional("maxFiles", multipart.max_files);
  members.size("maxFileSize", multipart.max_file_size);
  members.strings("allowedMimeTypes", multipart.allowed_mime_types);
  return members.take();
}

OrderedJson session_json(const SessionSwitch& session) {
  if (!session.enabled()) return nullptr;
  if (!*session.enabled()) return false;
  Members members;
  members.optional("rolling", session.options().rolling);
  members.optional("autoCommit", session.options().auto_commit);
  return members.take();
}

OrderedJson body_parser_json(const BodyParser& parser) {
  if (!parser.declared) return nullptr;
  Members members;
  members.optional("enabled", parser.enabled);
  members.size("maxBodySize", parser.max_body_size);
  members.flag("stream", parser.stream);
  return members.take();
}

OrderedJson skip_json(const Skip& skip) {
  return skip.skipped() ? OrderedJson(false) : OrderedJson();
}

OrderedJson rate_limit_json(const RateLimitOverride& limit) {
  if (!limit.declared()) return nullptr;
  if (!limit.enabled()) return false;
  Members members;
  members.optional("max", limit.options().max);
  members.optional("window", limit.options().window);
  members.string("keyBy", limit.options().key_by);
  return members.take();
}

OrderedJson cors_json(const CorsOverride& cors) {
  Members members;
  members.optional("enabled", cors.enabled);
  members.strings("origins", cors.origins);
  members.strings("methods", cors.methods);
  members.strings("headers", cors.headers);
  members.optional("credentials", cors.credentials);
  members.optional("maxAge", cors.max_age);
  return members.take();
}

OrderedJson override_json(const Override& overrides) {
  Members members;
  members.declared("rateLimit", rate_limit_json(overrides.rate_limit));
  members.duration("timeout", overrides.timeout);
  members.size("maxBodySize", overrides.max_body_size);
  members.filled("cors", cors_json(overrides.cors));
  return members.take();
}

OrderedJson timeout_json(const Timeout& timeout) {
  if (!timeout.declared()) return nullptr;
  return timeout.deadline() ? OrderedJson(timeout.deadline()->count()) : OrderedJson(false);
}

OrderedJson frontend_json(const Frontend& frontend) {
  Members members;
  members.string("page", frontend.page);
  if (const auto& data = frontend.data.get()) members.declared("data", response_json(*data));
  members.string("mode", frontend.mode);
  members.json("staticParams", frontend.static_params);
  members.optional("revalidate", frontend.revalidate);
  members.flag("clientOnly", frontend.client_only);
  members.string("hydration", frontend.hydration);
  members.json("seo", frontend.seo);
  return members.take();
}

}  // namespace

OrderedJson declaration_of(const RouteRecord& record) {
  const RouteOptions& options = record.options;
  Members members;
  members.declared("method", record.method);
  members.declared("path", record.path);
  members.filled("validate", validate_json(options.validate));
  members.declared("auth", auth_json(options.auth));
  members.declared("cache", cache_json(options.cache));
  members.filled("middlewares", middlewares_json(options.middlewares));
  members.filled("responses", named_json(options.responses, response_json));
  members.filled("docs", docs_json(options.docs));
  members.filled("multipart", multipart_json(options.multipart));
  members.declared("session", session_json(options.session));
  members.declared("bodyParser", body_parser_json(options.body_parser));
  members.declared("csrf", skip_json(options.csrf));
  members.filled("override", override_json(options.override_));
  members.declared("timeout", timeout_json(options.timeout));
  members.declared("securityHeaders", skip_json(options.security_headers));
  members.optional("compression", options.compression);
  members.filled("frontend", frontend_json(options.frontend));
  return members.take();
}

}  // namespace fw::detail
