#include "diff/manifest_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "emit/manifest.hpp"
#include "emit/openapi.hpp"
#include "model/application.hpp"

namespace fairway::diff {
namespace {

using fw::schema::Kind;
using fw::schema::Node;

/// The way back from emit/manifest.cpp to the model.
class ManifestReader {
 public:
  explicit ManifestReader(const std::string& name) : name_(name) {}

  model::Application read(const Json& manifest) {
    if (!manifest["version"].is_number() || manifest["version"] != emit::kManifestVersion) {
      fail("/version", fmt::format("is {}: this fairway reads manifests of version {}",
                                   value(manifest["version"]), emit::kManifestVersion));
    }
    model::Application application;
    std::size_t number = 0;
    for (const Json& file : manifest["files"]) {
      place_ = fmt::format("/files/{}", number++);
      application.files.push_back({.path = text(file, "path"),
                                   .display_path = {},
                                   .prefix = text(file, "prefix"),
                                   .export_path = {},
                                   .export_range = {},
                                   .routes = {}});
      for (const Json& route : list(file, "routes")) {
        application.files.back().routes.push_back(read_route(route));
      }
    }
    return application;
  }

 private:
  static std::string value(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  [[noreturn]] void fail(const std::string& place, const std::string& what) const {
    throw BadDocument(fmt::format("{}: {}: {}", name_, place, what));
  }
  [[noreturn]] void fail(const std::string& what) const { fail(place_, what); }

  const Json& member(const Json& parent, const char* name) const {
    static const Json kAbsent;
    return parent.is_object() && parent.contains(name) ? parent[name] : kAbsent;
  }
  std::string text(const Json& parent, const char* name) const {
    const Json& found = member(parent, name);
    if (!found.is_string()) fail(fmt::format("'{}' must be a text", name));
    return found;
  }
  std::string optional_text(const Json& parent, const char* name) const {
    return member(parent, name).is_null() ? std::string() : text(parent, name);
  }
  const Json& list(const Json& parent, const char* name) const {
    const Json& found = member(parent, name);
    if (!found.is_array()) fail(fmt::format("'{}' must be an array", name));
    return found;
  }
  bool flag(const Json& parent, const char* name, bool fallback = false) const {
    const Json& found = member(parent, name);
    return found.is_boolean() ? found.get<bool>() : fallback;
  }

  model::Route read_route(const Json& json) {
    model::Route route;
    route.method = text(json, "method");
    route.path = text(json, "path");
    route.operation_id = text(json, "operationId");
    place_ = fmt::format("{} {}", route.method, route.path);
    for (const Json& tag : member(json, "tags")) {
      if (tag.is_string()) route.docs.tags.push_back(tag);
    }
    const Json& options = member(json, "options");
    const Json& validate = member(options, "validate");
    for (const char* location : {"param", "query", "header", "cookie", "body"}) {
      const Json& fields = member(validate, location);
      if (!fields.is_null()) {
        route.validate.push_back({.location = location, .schema = node(fields), .range = {}});
      }
    }
    const Json& responses = member(options, "responses");
    for (const auto& [selector, schema] : responses.items()) {
      route.responses.push_back({.selector = selector, .schema = any_schema(schema), .range = {}});
    }
    const Json& files = member(member(options, "multipart"), "files");
    for (const auto& [name, file] : files.items()) {
      route.files.push_back({.name = name,
                             .description = optional_text(file, "description"),
                             .required = flag(file, "required")});
    }
    route.has_timeout = member(options, "timeout").is_number();
    read_docs(member(options, "docs"), route.docs);
    read_auth(member(options, "auth"), route);
    return route;
  }

  void read_docs(const Json& json, model::Documentation& docs) const {
    docs.summary = optional_text(json, "summary");
    docs.description = optional_text(json, "description");
    docs.deprecated = flag(json, "deprecated");
    if (const Json& security = member(json, "security"); security.is_array()) {
      docs.security = security;
    }
    if (const Json& more = member(json, "extensions"); more.is_object()) docs.extensions = more;
    docs.access = member(json, "access");
    docs.request_body = member(json, "requestBody");
    const Json& responses = member(json, "responses");
    for (const auto& [selector, config] : responses.items()) {
      model::DocumentedResponse response;
      response.selector = selector;
      response.description = optional_text(config, "description");
      response.content_type = optional_text(config, "contentType");
      response.example = member(config, "example");
      if (const Json& all = member(config, "examples"); all.is_object()) response.examples = all;
      if (const Json& all = member(config, "headers"); all.is_object()) response.headers = all;
      if (config.is_object() && config.contains("schema")) {
        response.schema = any_schema(config["schema"]);
      }
      docs.responses.push_back(std::move(response));
    }
  }

  void read_auth(const Json& json, model::Route& route) const {
    if (json.is_null()) return;
    if (json.is_boolean()) {
      route.auth.kind = json.get<bool>() ? model::AuthKind::required : model::AuthKind::disabled;
      return;
    }
    route.auth.kind = model::AuthKind::requirement;
    route.auth.required = flag(json, "required", true);
    const auto groups = rules(json);
    route.auth.has_rules = !groups.empty() || !member(json, "check").is_null();
    if (const Json& security = member(json, "security"); security.is_array()) {
      route.auth.security = security;
    }
    if (!groups.empty()) route.docs.security = with_rules(route, groups);
  }

  /// What the groups of a requirement ask for; they must all pass, and of each one of the lists.
  std::vector<std::vector<Json>> rules(const Json& json) const {
    const bool needs_all = member(json, "mode") == "all";
    std::vector<std::vector<Json>> groups;
    constexpr std::pair<const char*, const char*> kGroups[] = {
        {"roles", "role "}, {"scopes", "scope "}, {"permissions", "permission "}};
    for (const auto& group : kGroups) {
      const Json& items = member(json, group.first);
      std::vector<Json> alternatives;
      Json together = Json::array();
      const auto add = [&](const Json& item) {
        const std::string rule =
            group.second + (item.is_string() ? item.get<std::string>() : value(item));
        alternatives.push_back(Json::array({rule}));
        together.push_back(rule);
      };
      if (items.is_array()) {
        for (const Json& item : items) add(item);
      } else if (!items.is_null()) {
        add(items);
      }
      if (alternatives.empty()) continue;
      groups.push_back(needs_all ? std::vector<Json>{together} : std::move(alternatives));
    }
    return groups;
  }

  static Json with_rules(const model::Route& route, const std::vector<std::vector<Json>>& groups) {
    Json alternatives = route.docs.security   ? *route.docs.security
                        : route.auth.security ? *route.auth.security
                                              : Json::array({{{"bearerAuth", Json::array()}}});
    for (const auto& group : groups) {
      Json longer = Json::array();
      for (const Json& alternative : alternatives) {
        for (const Json& rule : group) {
          Json both = alternative;
          Json& all = both["auth"];
          if (!all.is_array()) all = Json::array();
          all.insert(all.end(), rule.begin(), rule.end());
          longer.push_back(std::move(both));
        }
      }
      alternatives = std::move(longer);
    }
    return alternatives;
  }

  model::Schema any_schema(const Json& json) const {
    const Json& schema = member(json, "$jsonSchema");
    if (!schema.is_string()) return node(json);
    const auto& text = schema.get_ref<const std::string&>();
    Json parsed = Json::parse(text, nullptr, false);
    if (parsed.is_discarded()) fail("'$jsonSchema' must be JSON");
    return parsed;
  }

  Node dsl(const std::string& text) const {
    auto parsed = fw::schema::parse_dsl(text);
    if (const auto* error = std::get_if<fw::schema::DslError>(&parsed)) {
      fail(fmt::format("'{}' is no schema: {}", text, error->message));
    }
    return std::get<Node>(std::move(parsed));
  }

  Node node(const Json& json) const {
    if (json.is_string()) return dsl(json.get_ref<const std::string&>());
    if (const Json& field = member(json, "$field"); field.is_string()) {
      Node result = dsl(field.get_ref<const std::string&>());
      result.description = optional_text(json, "description");
      return result;
    }
    if (const Json& inner = member(json, "$optional"); inner.is_structured()) {
      Node result = node(inner);
      result.required = false;
      return result;
    }
    Node result;
    if (json.is_array()) {
      result.kind = Kind::array;
      if (!json.empty()) result.items = std::make_shared<const Node>(node(json[0]));
      return result;
    }
    if (!json.is_object()) fail(fmt::format("{} is no schema", value(json)));
    result.kind = Kind::object;
    for (const auto& [name, field] : json.items()) result.fields.push_back({name, node(field)});
    return result;
  }

  std::string name_;
  std::string place_;  ///< of what is being read
};

}  // namespace

Json manifest_document(const std::string& name, const Json& manifest) {
  return emit::openapi_document(ManifestReader(name).read(manifest), {});
}

}  // namespace fairway::diff
