#include "option_json.hpp"

#include <fairway/router.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "app/contract.hpp"
#include "check/option_json.hpp"

namespace fairway::fuzz {
namespace {

using fw::Json;

/// Members of an object; those that say nothing are dropped.
class Members {
 public:
  void add(const char* name, const fw::Text& text) {
    if (!text.empty()) object_[name] = text.str();
  }
  void add(const char* name, const fw::TextList& texts) {
    for (const fw::Text& text : texts) object_[name].push_back(text.str());
  }
  void add(const char* name, const fw::ByteSize& size) {
    if (size.is_set()) object_[name] = size.text();
  }
  void add(const char* name, const std::optional<fw::Milliseconds>& duration) {
    if (duration) object_[name] = duration->count();
  }
  void add(const char* name, Json value) {
    if (!value.is_null()) object_[name] = std::move(value);
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  void add(const char* name, const std::optional<T>& value) {
    if (value) object_[name] = *value;
  }
  template <class Signature>
  void add(const char* name, const std::function<Signature>& function) {
    if (function) object_[name]["$function"] = true;
  }
  void add_flag(const char* name, bool value, bool standard) {
    if (value != standard) object_[name] = value;
  }
  /// Nothing for an object without members.
  void add_object(const char* name, Json object) {
    if (!object.empty()) object_[name] = std::move(object);
  }
  Json take() { return std::move(object_); }

 private:
  Json object_ = Json::object();
};

Json security(const fw::SecurityRequirements& requirements) {
  if (!requirements.declared()) return nullptr;
  Json alternatives = Json::array();
  for (const auto& alternative : requirements.alternatives()) {
    Json schemes = Json::object();
    for (const auto& scheme : alternative.schemes()) {
      Json scopes = Json::array();
      for (const auto& scope : scheme.scopes) scopes.push_back(scope.str());
      schemes.emplace(scheme.name.str(), std::move(scopes));
    }
    alternatives.push_back(std::move(schemes));
  }
  return alternatives;
}

Json auth(const fw::Auth& auth) {
  if (!auth.declared()) return nullptr;
  if (!auth.enabled()) return false;
  const fw::AuthRequirement& requirement = auth.requirement();
  Members members;
  members.add_flag("required", requirement.required, true);
  members.add("roles", requirement.roles);
  members.add("scopes", requirement.scopes);
  Json actions = Json::array();
  for (const auto& permission : requirement.permissions) actions.push_back(permission.action.str());
  members.add_object("permissions", std::move(actions));
  if (requirement.mode.str() != "any") members.add("mode", Json(requirement.mode.str()));
  members.add("check", requirement.check);
  members.add("security", security(requirement.security));
  return members.take();
}

Json cache(const fw::Cache& cache) {
  if (!cache.declared()) return nullptr;
  if (!cache.options()) return false;
  const fw::RouteCacheOptions& options = *cache.options();
  Members members;
  members.add("ttl", options.ttl);
  members.add("methods", options.methods);
  members.add("headers", options.headers);
  if (const auto* text = std::get_if<fw::Text>(&options.key.get())) {
    members.add("key", *text);
  } else if (std::holds_alternative<fw::CacheKey::Function>(options.key.get())) {
    members.add("key", Json{{"$function", true}});
  }
  members.add("partitionKey", options.partition_key);
  members.add("condition", options.condition);
  members.add("tags", options.tags);
  members.add_flag("cacheControl", options.cache_control, true);
  members.add_flag("allowAuthorizationCache", options.allow_authorization_cache, false);
  members.add_flag("allowCookieCache", options.allow_cookie_cache, false);
  return members.take();
}

/// A response's schema, in the form of the route's contract.
Json schema(const fw::ResponseSchema& schema) {
  fw::RouteRecord record;
  record.options.responses = {{fw::Selector("default"), schema}};
  return Json(fw::detail::contract_of(record)["responses"]["default"]);
}

Json documented_response(const fw::ResponseDocs& response) {
  Members members;
  members.add("description", response.description);
  if (response.schema) members.add("schema", schema(*response.schema));
  members.add("contentType", response.content_type);
  members.add("example", response.example);
  Json examples = Json::object();
  for (const auto& [name, example] : response.examples) {
    Members one;
    one.add("summary", example.summary);
    one.add("description", example.description);
    one.add("value", example.value);
    examples.emplace(name.str(), one.take());
  }
  members.add_object("examples", std::move(examples));
  Json headers = Json::object();
  for (const auto& [name, header] : response.headers) {
    Members one;
    one.add("description", header.description);
    one.add("schema", header.schema);
    headers.emplace(name.str(), one.take());
  }
  members.add_object("headers", std::move(headers));
  return members.take();
}

Json docs(const fw::Docs& docs) {
  Members members;
  members.add("summary", docs.summary);
  members.add("description", docs.description);
  members.add("tags", docs.tags);
  members.add("operationId", docs.operation_id);
  members.add_flag("hidden", docs.hidden, false);
  members.add_flag("deprecated", docs.deprecated, false);
  members.add("security", security(docs.security));
  members.add("extensions", docs.extensions);
  Json responses = Json::object();
  for (const auto& [selector, response] : docs.responses) {
    responses.emplace(selector.str(), documented_response(response));
  }
  members.add_object("responses", std::move(responses));
  members.add("access", docs.access);
  members.add("requestBody", docs.request_body);
  return members.take();
}

Json multipart(const fw::Multipart& multipart) {
  Members members;
  members.add("enabled", multipart.enabled);
  Json files = Json::object();
  for (const auto& field : multipart.files) {
    Members rules;
    rules.add("description", field.rules.description);
    rules.add_flag("required", field.rules.required, false);
    files.emplace(field.name.str(), rules.take());
  }
  members.add_object("files", std::move(files));
  members.add("maxFiles", multipart.max_files);
  members.add("maxFileSize", multipart.max_file_size);
  members.add("allowedMimeTypes", multipart.allowed_mime_types);
  return members.take();
}

Json session(const fw::SessionSwitch& session) {
  if (!session.enabled()) return nullptr;
  if (!*session.enabled()) return false;
  Members members;
  members.add("rolling", session.options().rolling);
  members.add("autoCommit", session.options().auto_commit);
  return members.take();
}

Json rate_limit(const fw::RateLimitOverride& limit) {
  if (!limit.declared()) return nullptr;
  if (!limit.enabled()) return false;
  Members members;
  members.add("max", limit.options().max);
  members.add("window", limit.options().window);
  members.add("keyBy", limit.options().key_by);
  return members.take();
}

Json overrides(const fw::Override& overrides) {
  Members members;
  members.add("rateLimit", rate_limit(overrides.rate_limit));
  members.add("timeout", overrides.timeout);
  members.add("maxBodySize", overrides.max_body_size);
  Members cors;
  cors.add("enabled", overrides.cors.enabled);
  cors.add("origins", overrides.cors.origins);
  cors.add("methods", overrides.cors.methods);
  cors.add("headers", overrides.cors.headers);
  cors.add("credentials", overrides.cors.credentials);
  cors.add("maxAge", overrides.cors.max_age);
  members.add_object("cors", cors.take());
  return members.take();
}

Json frontend(const fw::Frontend& frontend) {
  Members members;
  members.add("page", frontend.page);
  members.add("mode", frontend.mode);
  members.add("staticParams", frontend.static_params);
  members.add("revalidate", frontend.revalidate);
  members.add_flag("clientOnly", frontend.client_only, false);
  members.add("hydration", frontend.hydration);
  members.add("seo", frontend.seo);
  return members.take();
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, text) != list.end();
}

/// Members that say something even when they are written without content.
bool is_declared_when_empty(std::string_view member) {
  return is_one_of(member, {"security", "auth", "cache", "session", "rate_limit", "body_parser"});
}

bool is_default(const std::string& record, const model::Member& member) {
  using Kind = model::Value::Kind;
  const model::Value& value = member.value;
  switch (value.kind) {
    case Kind::boolean: {
      const bool is_on = is_one_of(member.name, {"required", "cache_control"}) &&
                         is_one_of(record, {"AuthRequirement", "RouteCacheOptions"});
      const bool is_flag =
          is_on || is_one_of(member.name, {"required", "hidden", "deprecated", "client_only",
                                           "allow_authorization_cache", "allow_cookie_cache"});
      return is_flag && value.boolean == is_on;
    }
    case Kind::string:
      return value.text == (member.name == "mode" && record == "AuthRequirement" ? "any" : "") &&
             member.name != "key";
    case Kind::list:
      return value.items.empty() && !is_declared_when_empty(member.name);
    case Kind::record:
      return value.members.empty() && !is_declared_when_empty(member.name);
    default:
      return false;
  }
}

void drop_defaults(model::Value& value) {
  for (auto& item : value.items) drop_defaults(item);
  for (auto& member : value.members) drop_defaults(member.value);
  if (value.kind != model::Value::Kind::record) return;
  std::erase_if(value.members,
                [&](const model::Member& member) { return is_default(value.text, member); });
}

Json* find(Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found == object.end() ? nullptr : &*found;
}

/// An option has several spellings for one thing.
void unify(Json& options) {
  const auto spell = [](Json* value, const Json& from, const Json& to) {
    if (value != nullptr && *value == from && value->type() == from.type()) *value = to;
  };
  spell(find(options, "auth"), true, Json::object());
  spell(find(options, "session"), true, Json::object());
  if (Json* cache = find(options, "cache"); cache != nullptr && cache->is_number()) {
    *cache = *cache == 0 ? Json(false) : Json{{"ttl", *cache}};
  }
  if (Json* auth = find(options, "auth")) {
    if (Json* permissions = find(*auth, "permissions")) {
      for (Json& each : *permissions) {
        if (each.is_object()) each = Json(each["action"]);
      }
    }
  }
  const auto size = [](Json* owner, const char* name) {
    Json* value = owner == nullptr ? nullptr : find(*owner, name);
    if (value != nullptr && value->is_number()) *value = value->dump();
  };
  size(find(options, "multipart"), "maxFileSize");
  size(find(options, "bodyParser"), "maxBodySize");
  size(find(options, "override"), "maxBodySize");
  if (Json* overrides = find(options, "override")) {
    spell(find(*overrides, "rateLimit"), true, Json::object());
  }
  if (Json* multipart = find(options, "multipart")) {
    if (Json* files = find(*multipart, "files")) {
      for (Json& each : *files) {
        if (!each.is_string()) continue;
        each = each == "" ? Json::object() : Json{{"description", each}};
      }
    }
  }
}

}  // namespace

Json registered_options(const fw::RouteRecord& record) {
  const fw::RouteOptions& options = record.options;
  const Json contract(fw::detail::contract_of(record));
  Members members;
  for (const char* name : {"validate", "responses", "middlewares"}) {
    members.add(name, contract.value(name, Json()));
  }
  members.add("auth", auth(options.auth));
  members.add("cache", cache(options.cache));
  members.add_object("docs", docs(options.docs));
  members.add_object("multipart", multipart(options.multipart));
  members.add("session", session(options.session));
  if (options.body_parser.declared) {
    Members parser;
    parser.add("enabled", options.body_parser.enabled);
    parser.add("maxBodySize", options.body_parser.max_body_size);
    members.add("bodyParser", parser.take());
  }
  if (options.csrf.skipped()) members.add("csrf", false);
  members.add_object("override", overrides(options.override_));
  if (options.timeout.declared()) {
    const auto& deadline = options.timeout.deadline();
    members.add("timeout", deadline ? Json(deadline->count()) : Json(false));
  }
  if (options.security_headers.skipped()) members.add("securityHeaders", false);
  members.add_object("frontend", frontend(options.frontend));
  return members.take();
}

Json resolved_options(const std::optional<model::Value>& options) {
  if (!options) return Json::object();
  model::Value said = *options;
  drop_defaults(said);
  Json json(check::option_json(said));
  unify(json);
  return json;
}

}  // namespace fairway::fuzz
