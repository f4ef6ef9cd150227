#include <fmt/format.h>

#include "emit/application_files.hpp"

namespace fairway::emit {
namespace {

using model::Json;

Json components_json(const std::vector<model::Component>& components) {
  Json list = Json::array();
  for (const model::Component& component : components) {
    list.push_back({{"name", component.name}, {"path", component.path}});
  }
  return list;
}

Json route_json(const model::Route& route) {
  Json result;
  result["method"] = route.method;
  result["path"] = route.path;
  result["subpath"] = route.subpath;
  result["line"] = route.range.line;
  result["operationId"] = route.operation_id;
  result["operationIdSource"] = route.operation_id_inferred ? "inferred" : "explicit";
  result["tags"] = route.docs.tags;
  result["tagsSource"] = route.docs.tags_inferred ? "inferred" : "explicit";
  result["fingerprint"] = fmt::format("{:016x}", route.fingerprint);
  result["options"] = route.options;
  if (!route.inferred_responses.empty()) result["inferredResponses"] = route.inferred_responses;
  return result;
}

Json file_json(const model::RouteFile& file) {
  Json result;
  result["path"] = file.path;
  result["prefix"] = file.prefix;
  if (file.export_path != file.path) result["reexports"] = file.export_path;
  result["routes"] = Json::array();
  for (const model::Route& route : file.routes) result["routes"].push_back(route_json(route));
  return result;
}

}  // namespace

std::string emit_manifest(const model::Application& application) {
  Json manifest;
  manifest["version"] = model::kManifestVersion;
  if (!application.name.empty()) manifest["name"] = application.name;
  manifest["source"] = application.source_name;
  manifest["files"] = Json::array();
  for (const model::RouteFile& file : application.files) {
    manifest["files"].push_back(file_json(file));
  }
  manifest["middlewares"] = components_json(application.middlewares);
  manifest["plugins"] = components_json(application.plugins);
  return manifest.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace fairway::emit
