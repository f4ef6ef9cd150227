#include "emit/openapi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/ascii.hpp"
#include "base/url_encoding.hpp"
#include "emit/openapi_components.hpp"
#include "emit/openapi_parts.hpp"
#include "model/openapi_document.hpp"
#include "schema/route_path.hpp"
#include "schema/schema_references.hpp"

namespace fairway::emit {
namespace {

std::vector<std::string> documented_names(const std::vector<std::string>& names) {
  std::vector<std::string> result = names;
  for (std::string& name : result) {
    if (name != "*") continue;
    name = "wildcard";
    while (std::ranges::count(result, name) > 1) name += '_';
  }
  return result;
}

// OpenAPI has no wildcards, so `/files/:id` and `/files/*rest` have the same path.
std::string documented_shape(const fw::schema::RoutePath& path) {
  std::string shape = path.shape();
  if (shape.ends_with("/*")) shape.back() = ':';
  return shape;
}

using model::Json;

/// Adds the schemes that a `security` member refers to. Schemes that the configuration does not
/// describe are taken from `schema::default_security_scheme`.
void add_security_schemes(const Json& security, const model::OpenApiOptions& options,
                          Json& schemes) {
  const Json& described = options.security_schemes;
  for (const Json& requirement : security) {
    for (const auto& [name, scopes] : requirement.items()) {
      if (schemes.contains(name)) continue;
      schemes[name] = described.contains(name) ? described[name]
                                               : fw::schema::default_security_scheme(
                                                     name, options.settings.config.session.name);
    }
  }
}

Json info_json(const model::OpenApiOptions& options) {
  Json info;
  info["title"] = options.title;
  info["version"] = options.version;
  if (!options.description.empty()) info["description"] = options.description;
  for (const auto& [name, value] : options.info.items()) info[name] = value;
  if (!options.license.empty()) info["license"] = Json{{"name", options.license}};
  return info;
}

Json servers_json(const std::vector<model::OpenApiServer>& servers) {
  Json list = Json::array();
  for (const model::OpenApiServer& server : servers) {
    Json& entry = list.emplace_back(Json{{"url", server.url}});
    if (!server.description.empty()) entry["description"] = server.description;
  }
  if (list.empty()) list.push_back({{"url", "/"}});
  return list;
}

/// Collects the parts of the document route by route.
class DocumentWriter {
 public:
  DocumentWriter(const model::Application& application, const model::OpenApiOptions& options)
      : application_(application), options_(options) {}

  Json write() {
    for_each_route([&](const model::RouteFile&, const model::Route& route) { add_path(route); });
    for_each_route([&](const model::RouteFile& file, const model::Route& route) {
      add_operation(file, route);
    });
    Json document;
    document["openapi"] = "3.1.0";
    document["info"] = info_json(options_);
    document["servers"] = servers_json(options_.servers);
    if (!tags_.empty()) document["tags"] = std::move(tags_);
    document["paths"] = std::move(paths_);
    if (!undocumented_.empty()) {
      document[std::string(model::extensions::kUndocumented)] = std::move(undocumented_);
    }
    components_.add_to(document);
    if (!schemes_.empty()) document["components"]["securitySchemes"] = std::move(schemes_);
    return document;
  }

 private:
  template <class Visit>
  void for_each_route(const Visit& visit) const {
    for (const model::RouteFile& file : application_.files) {
      for (const model::Route& route : file.routes) {
        if (!route.docs.hidden) visit(file, route);
      }
    }
  }

  void add_path(const model::Route& route) {
    const DocumentedPath path = documented_paths_.add(route);
    if (path.wildcard.empty()) without_wildcard_.insert(route.request_method() + path.path);
  }

  // If a parameter and a wildcard are at the same position, OpenAPI can describe only one of them:
  // the parameter, because it takes precedence.
  void add_operation(const model::RouteFile& file, const model::Route& route) {
    const DocumentedPath path = documented_paths_.add(route);
    if (!path.wildcard.empty() && without_wildcard_.contains(route.request_method() + path.path)) {
      undocumented_.push_back(route.method + ' ' + route.path);
      return;
    }
    Json operation = operation_json(file.path, route, path, options_, components_);
    add_security_schemes(operation["security"], options_, schemes_);
    for (const std::string& tag : route.docs.tags) add_tag(file, route, tag);
    path_item(path.path)[fw::base::lower_case(route.request_method())] = std::move(operation);
  }

  /// Finds the path item by an index, because ordered_json searches linearly.
  Json& path_item(const std::string& path) {
    auto& items = paths_.get_ref<Json::object_t&>();
    const auto [position, is_new] = positions_of_paths_.emplace(path, items.size());
    if (is_new) items.emplace_back(path, Json());
    return (items.begin() + static_cast<std::ptrdiff_t>(position->second))->second;
  }

  void add_tag(const model::RouteFile& file, const model::Route& route, const std::string& name) {
    if (!tag_names_.insert(name).second) return;
    Json tag;
    tag["name"] = name;
    if (route.docs.tags_inferred) {
      tag["description"] = "Routes of " + application_.source_name + "/" + file.path;
    }
    tags_.push_back(std::move(tag));
  }

  const model::Application& application_;
  const model::OpenApiOptions& options_;
  DocumentedPaths documented_paths_;
  Components components_;
  Json paths_ = Json::object();
  std::map<std::string, std::size_t> positions_of_paths_;
  Json schemes_ = Json::object();
  Json tags_ = Json::array();
  Json undocumented_ = Json::array();
  std::set<std::string> without_wildcard_;  ///< methods and paths
  std::set<std::string> tag_names_;
};

Json unchecked_document(const model::Application& application,
                        const model::OpenApiOptions& options) {
  Json document = DocumentWriter(application, options).write();
  if (options.openapi == model::OpenApiVersion::v3_0) convert_to_3_0(document);
  if (options.openapi == model::OpenApiVersion::v3_2) convert_to_3_2(document);
  return document;
}

std::vector<ReferenceError> find_reference_errors(const Json& document) {
  std::set<std::string> schemas;  // JSON pointers
  model::for_each_document_schema(document, [&](const Json& schema, const std::string& pointer) {
    fw::schema::for_each_schema(schema, pointer,
                                [&](const Json&, const std::string& at) { schemas.insert(at); });
  });
  std::vector<ReferenceError> errors;
  const auto check = [&](const std::string& text, const std::string& pointer) {
    const auto target = fw::base::decode_path(text);
    const bool is_known = target && target->starts_with('#') && schemas.contains(target->substr(1));
    if (!is_known) errors.push_back({pointer, text});
  };
  model::for_each_document_schema(document, [&](const Json& schema, const std::string& pointer) {
    fw::schema::for_each_reference(schema, pointer, check);
  });
  return errors;
}

}  // namespace

DocumentedPath DocumentedPaths::add(const model::Route& route) {
  DocumentedPath result;
  const auto parsed = fw::schema::parse_route_path(route.path);
  const auto* path = std::get_if<fw::schema::RoutePath>(&parsed);
  if (!path) return {route.path, {}, {}};
  const auto& names =
      names_by_shape_.emplace(documented_shape(*path), documented_names(path->names)).first->second;
  for (std::size_t i = 0; i < names.size(); ++i) {
    result.parameters.emplace_back(path->names[i], names[i]);
  }
  const bool has_wildcard =
      !path->segments.empty() && path->segments.back().kind == fw::schema::Segment::Kind::wildcard;
  if (has_wildcard) result.wildcard = names.back();

  // Copies from the text, because parsed segments are in lower case.
  std::size_t next = 0;
  for (std::size_t i = 0; i < route.path.size(); ++i) {
    const bool is_parameter = route.path[i] == ':' || route.path[i] == '*';
    if (!is_parameter) {
      result.path += route.path[i];
      continue;
    }
    result.path += '{' + names[next] + '}';
    const std::string& written = path->names[next];
    if (written != "*") i += written.size();
    ++next;
  }
  return result;
}

Json openapi_document(const model::Application& application, const model::OpenApiOptions& options) {
  Json document = unchecked_document(application, options);
  const auto errors = find_reference_errors(document);
  if (errors.empty()) return document;
  throw std::logic_error(fmt::format("the OpenAPI document is invalid: '{}' refers to '{}'",
                                     errors[0].pointer, errors[0].reference));
}

Json default_openapi_document(const model::Application& application) {
  return openapi_document(application, {});
}

std::vector<ReferenceError> reference_errors(const model::Application& application,
                                             const model::OpenApiOptions& options) {
  return find_reference_errors(unchecked_document(application, options));
}

std::string openapi_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace fairway::emit
