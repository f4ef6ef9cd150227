#include "openapi/openapi_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "features/auth/guard_stage.hpp"
#include "features/cache/cache_policy.hpp"
#include "openapi/openapi_walk.hpp"
#include "schema/operation_caching.hpp"
#include "schema/operation_security.hpp"
#include "settings/config_table.hpp"

namespace fw::openapi {
namespace {

/// Merges members. Both applications may have the same member if it is equal.
void merge_members(OrderedJson& target, const OrderedJson& source, const std::string& what,
                   std::vector<std::string>& errors) {
  if (!source.is_object()) return;
  for (const auto& [name, value] : source.items()) {
    const auto [member, added] = target.emplace(name, OrderedJson(value));
    if (!added && *member != value) {
      errors.push_back(fmt::format(
          "two mounted applications document different {} '{}'; rename one of them", what, name));
    }
  }
}

void merge_document(OrderedJson& document, const OrderedJson& other,
                    std::vector<std::string>& errors) {
  if (const auto* paths = member(other, "paths"); paths && paths->is_object()) {
    for (const auto& [path, item] : paths->items()) {
      merge_members(document["paths"][path], item, "operations of " + path, errors);
    }
  }
  if (const auto* components = member(other, "components"); components && components->is_object()) {
    for (const auto& [group, members] : components->items()) {
      merge_members(document["components"][group], members, group, errors);
    }
  }
  if (const auto* tags = member(other, "tags"); tags && tags->is_array()) {
    for (const OrderedJson& tag : *tags) {
      OrderedJson& known = document["tags"];
      if (std::find(known.begin(), known.end(), tag) == known.end()) known.push_back(tag);
    }
  }
}

OrderedJson to_openapi(const SecurityRequirements& requirements) {
  OrderedJson list = OrderedJson::array();
  for (const SecurityRequirement& alternative : requirements.alternatives()) {
    OrderedJson requirement = OrderedJson::object();
    for (const SecurityScheme& scheme : alternative.schemes()) {
      OrderedJson scopes = OrderedJson::array();
      for (const Text& scope : scheme.scopes) scopes.push_back(scope.str());
      requirement[scheme.name.str()] = std::move(scopes);
    }
    list.push_back(std::move(requirement));
  }
  return list;
}

schema::SecurityDeclaration declaration_of(const RouteOptions& options) {
  const AuthRequirement& auth = options.auth.requirement();
  schema::SecurityDeclaration declaration{
      .documented = {},
      .auth_disabled = options.auth.declared() && !options.auth.enabled(),
      .guarded = options.auth.enabled(),
      .needs = detail::needs_of(auth),
      .auth_security = {},
      .middlewares = {}};
  if (options.docs.security.declared()) declaration.documented = to_openapi(options.docs.security);
  if (auth.security.declared()) declaration.auth_security = to_openapi(auth.security);
  for (const MiddlewareRef& reference : options.middlewares) {
    declaration.middlewares.emplace_back(reference.name());
  }
  return declaration;
}

/// Adds the schemes that the document lacks, and names the cookie of this configuration. Those that
/// the configuration describes are replaced later.
void add_security_schemes(OrderedJson& document, const OrderedJson& security,
                          const std::string& session_cookie) {
  for (const OrderedJson& requirement : security) {
    for (const auto& [name, scopes] : requirement.items()) {
      OrderedJson& schemes = document["components"]["securitySchemes"];
      if (name != schema::kSessionCookie && schemes.contains(name)) continue;
      schemes[name] = schema::default_security_scheme(name, session_cookie);
    }
  }
}

bool is_3_0(const OrderedJson& document) {
  return text_member(document, "openapi").starts_with("3.0");
}

/// Sets the members of `texts` that are not empty.
void apply_texts(OrderedJson& target, const Json& texts) {
  for (const auto& [name, value] : texts.items()) {
    if (value.is_object()) {
      OrderedJson inner = target.value(name, OrderedJson::object());
      apply_texts(inner, value);
      if (!inner.empty()) target[name] = std::move(inner);
    } else if (value != "") {
      target[name] = value;
    }
  }
}

/// The members of `openapi` in the configuration, with their names in configuration files.
Json settings_of(const Config& config) {
  Json all = Json::object();
  for (const settings::ConfigKey& key : settings::config_keys()) {
    if (key.pointer.starts_with("/openapi/")) {
      all[Json::json_pointer(std::string(key.pointer))] = key.write(config);
    }
  }
  return all["openapi"];
}

using RoutesById = std::map<std::string, const detail::Route*>;

RoutesById by_operation_id(std::span<const detail::Route* const> routes) {
  RoutesById by_id;
  for (const detail::Route* route : routes) {
    if (!route->operation_id.empty()) by_id.emplace(route->operation_id, route);
  }
  return by_id;
}

void apply_guard_security(OrderedJson& document, const Config& config, const RoutesById& by_id) {
  const ComponentNames unused = unused_components(document);
  std::vector<OrderedJson> applied;
  for_each_operation(document, [&](const auto&, const auto&, OrderedJson& operation) {
    const auto route = by_id.find(text_member(operation, "operationId"));
    if (route == by_id.end()) return;
    operation["security"] = schema::operation_security(declaration_of(route->second->options),
                                                       config.openapi.guard_security_map,
                                                       config.openapi.auth_scheme.names());
    applied.push_back(operation["security"]);
  });
  for (const OrderedJson& security : applied) {
    add_security_schemes(document, security, config.session.name);
  }
  remove_unused_components(document, unused);
}

/// Whether the responses to GET are stored.
bool is_cached(const detail::Route& route, const CacheConfig& config) {
  return detail::cache_ttl(route, config).count() > 0 &&
         detail::caches_method(*route.options.cache.options(), "GET");
}

template <class List>
bool declares_not_modified(const List& responses) {
  return std::any_of(responses.begin(), responses.end(),
                     [](const auto& response) { return response.name.str() == "304"; });
}

void describe_caching(OrderedJson& document, const Config& config, const RoutesById& by_id) {
  for_each_operation(document, [&](const auto&, const auto& method, OrderedJson& operation) {
    auto* responses = member(operation, "responses");
    const auto route = by_id.find(text_member(operation, "operationId"));
    if (method != "get" || !responses || route == by_id.end()) return;
    const RouteOptions& options = route->second->options;
    const bool cached = is_cached(*route->second, config.cache);
    schema::describe_caching(
        *responses, {.is_cached = cached,
                     .sends_cache_control = cached && options.cache.options()->cache_control,
                     .has_entity_tags = config.etag != EntityTags::off,
                     .declares_not_modified = declares_not_modified(options.responses) ||
                                              declares_not_modified(options.docs.responses)});
  });
}

}  // namespace

void add_document(OrderedJson& document, std::string_view text, std::vector<std::string>& errors) {
  OrderedJson other = OrderedJson::parse(text, nullptr, false);
  if (!other.is_object()) {
    errors.emplace_back(
        "the OpenAPI document of the route table is not a JSON object; rebuild the application");
  } else if (document.is_null()) {
    document = std::move(other);
  } else {
    merge_document(document, other, errors);
  }
}

void apply_configuration(OrderedJson& document, const Config& config,
                         std::span<const detail::Route* const> routes) {
  if (!config.response.wrap) {
    const ComponentNames unused = unused_components(document);
    remove_envelopes(document);
    remove_unused_components(document, unused);
  }
  const RoutesById by_id = by_operation_id(routes);
  apply_guard_security(document, config, by_id);
  describe_caching(document, config, by_id);
  apply_settings(document, settings_of(config));
  if (is_3_0(document)) schema::convert_security_to_3_0(document);
}

void apply_settings(OrderedJson& document, const Json& settings) {
  if (const auto* info = member(settings, "info")) {
    Json texts = *info;
    if (is_3_0(document)) {  // these need 3.1
      texts.erase("summary");
      if (auto* license = member(texts, "license")) license->erase("identifier");
    }
    OrderedJson applied = document.value("info", OrderedJson::object());
    apply_texts(applied, texts);
    if (!applied.empty()) document["info"] = std::move(applied);
  }
  const auto* servers = member(settings, "servers");
  if (servers && !servers->empty()) document["servers"] = *servers;
  auto* components = member(document, "components");
  auto* schemes = components ? member(*components, "securitySchemes") : nullptr;
  const auto* described = member(settings, "securitySchemes");
  if (!schemes || !described) return;
  for (auto& [name, scheme] : schemes->items()) {
    if (const auto* known = member(*described, name)) scheme = *known;
  }
}

void check_operation_ids(std::span<const detail::Route* const> routes,
                         std::vector<std::string>& errors) {
  std::map<std::string_view, const detail::Route*> known;
  for (const detail::Route* route : routes) {
    if (route->operation_id.empty()) continue;
    const auto [other, added] = known.emplace(route->operation_id, route);
    if (added) continue;
    errors.push_back(
        fmt::format("{}: {}: the operation id '{}' is also used by {} ({}); set docs.operation_id "
                    "for one of them",
                    source_of(*route), name_of(*route), route->operation_id,
                    name_of(*other->second), source_of(*other->second)));
  }
}

}  // namespace fw::openapi
