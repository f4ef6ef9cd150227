#include "emit/openapi.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "emit/openapi_operation.hpp"
#include "emit/openapi_paths.hpp"
#include "emit/openapi_schemas.hpp"
#include "emit/openapi_security.hpp"
#include "schema/ascii.hpp"

namespace fairway::emit {
namespace {

using model::Json;

Json info_json(const OpenApiOptions& options) {
  Json info;
  info["title"] = options.title;
  info["version"] = options.version;
  if (!options.description.empty()) info["description"] = options.description;
  if (!options.license.empty()) info["license"]["name"] = options.license;
  return info;
}

Json servers_json(const std::vector<std::string>& servers) {
  Json list = Json::array();
  for (const std::string& url : servers) list.push_back({{"url", url}});
  if (list.empty()) list.push_back({{"url", "/"}});
  return list;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), fw::schema::to_lower);
  return text;
}

/// Collects the parts of the document route by route.
class DocumentWriter {
 public:
  DocumentWriter(const model::Application& application, const OpenApiOptions& options)
      : application_(application), options_(options) {}

  Json write() {
    for (const model::RouteFile& file : application_.files) {
      for (const model::Route& route : file.routes) {
        if (!route.docs.hidden) add_route(file, route);
      }
    }
    Json document;
    document["openapi"] = "3.1.0";
    document["info"] = info_json(options_);
    document["servers"] = servers_json(options_.servers);
    if (!tags_.empty()) document["tags"] = std::move(tags_);
    document["paths"] = std::move(paths_);
    if (Json schemas = components_.schemas(); !schemas.is_null()) {
      document["components"]["schemas"] = std::move(schemas);
    }
    if (!schemes_.empty()) document["components"]["securitySchemes"] = std::move(schemes_);
    return document;
  }

 private:
  void add_route(const model::RouteFile& file, const model::Route& route) {
    const DocumentedPath path = documented_paths_.add(route);
    Json operation = operation_json(route, path, options_, components_);
    add_security_schemes(operation["security"], schemes_);
    for (const std::string& tag : route.docs.tags) add_tag(file, route, tag);
    paths_[path.path][lower(route.method)] = std::move(operation);
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
  const OpenApiOptions& options_;
  DocumentedPaths documented_paths_;
  Components components_;
  Json paths_ = Json::object();
  Json schemes_ = Json::object();
  Json tags_ = Json::array();
  std::set<std::string> tag_names_;
};

}  // namespace

Json openapi_document(const model::Application& application, const OpenApiOptions& options) {
  return DocumentWriter(application, options).write();
}

std::string render_openapi(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string emit_openapi(const model::Application& application, const OpenApiOptions& options) {
  return render_openapi(openapi_document(application, options));
}

}  // namespace fairway::emit
