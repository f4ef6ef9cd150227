#include "resolve/resolve.hpp"

#include <set>
#include <utility>
#include <variant>

#include "base/ascii.hpp"
#include "schema/route_path.hpp"

namespace fairway::resolve {
namespace {

using model::ParsedFile;

bool is_path(std::string_view path) {
  return std::holds_alternative<fw::schema::RoutePath>(fw::schema::parse_route_path(path));
}

void add_routes(const ParsedFile& source, model::RouteFile& file) {
  for (const model::Registration& registration : source.registrations) {
    model::Route route = resolved_route(registration, file);
    if (is_path(route.path)) file.routes.push_back(std::move(route));
  }
}

}  // namespace

model::RouteFile resolved_file(const ParsedFile& file) {
  model::RouteFile result;
  result.path = file.path;
  result.display_path = file.display_path;
  result.prefix = prefix_of(file.path);
  result.export_range = file.export_range;
  if (result.export_range.file.empty()) result.export_range.file = file.display_path;
  return result;
}

model::Route resolved_route(const model::Registration& registration, const model::RouteFile& file) {
  model::Route route;
  route.method = registration.method;
  route.subpath = registration.path;
  route.path = fw::schema::join_route_paths(file.prefix, registration.path);
  route.range = registration.range;
  route.path_range = registration.path_value.range;
  route.operation_id_range = route.path_range;
  route.proxies = registration.handler.proxies;
  route.sent = registration.handler.sent;
  route.sends_others = registration.handler.sends_others;
  for (const model::RenderedPage& page : registration.handler.pages) {
    route.pages.push_back({page.name, page.range});
  }
  apply_options(registration.options ? &*registration.options : nullptr, registration.signature,
                route);
  if (route.socket) {
    // Nothing but an error is sent before the socket is open.
    std::erase_if(route.sent, [](const auto& sent) { return sent.function != "raise"; });
    route.sends_others = false;
    route.pages.clear();
  } else {
    add_results(registration, route);
  }
  // Options that could not be resolved may contain an id.
  if (route.operation_id_inferred && registration.options_resolved) {
    route.operation_id = inferred_operation_id(route.method, route.path);
  }
  if (route.docs.tags_inferred) route.docs.tags = {tag_of(file.path)};
  return route;
}

model::Application resolve_application(const FileIndex& files, const Options& options) {
  model::Application application;
  application.name = options.name;
  application.source_name = options.source_name;
  application.pages = options.pages;
  std::set<std::string> prefixes;
  for (const auto& [path, file] : files) {
    const FileRole role = role_of(path);
    if (role == FileRole::middleware) {
      application.middlewares.push_back({path, component_name(path)});
    } else if (role == FileRole::plugin) {
      application.plugins.push_back({path, component_name(path)});
    } else if (role == FileRole::route) {
      model::RouteFile route_file = resolved_file(*file);
      if (!is_path(route_file.prefix)) continue;
      // A file whose routes could not be read still occupies its prefix.
      if (!prefixes.insert(fw::base::lower_case(route_file.prefix)).second) continue;
      if (const ParsedFile* const source = follow_reexports(*file, files).source) {
        route_file.export_path = source->path;
        add_routes(*source, route_file);
      }
      application.files.push_back(std::move(route_file));
    }
  }
  add_types(files, application);
  return application;
}

}  // namespace fairway::resolve
