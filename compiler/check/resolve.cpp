#include "check/resolve.hpp"

#include <set>
#include <utility>

#include "check/application_rules.hpp"
#include "check/file_rules.hpp"
#include "check/page_library.hpp"
#include "check/reporter.hpp"
#include "check/route_rules.hpp"
#include "diagnostics/report.hpp"

namespace fairway::check {
namespace {

using model::ParsedFile;

class Resolver {
 public:
  Resolver(const std::vector<ParsedFile>& files, const ResolveOptions& options) {
    result_.application.name = options.name;
    result_.application.source_name = options.source_name;
    result_.application.pages = options.pages;
    middlewares_.insert(options.middlewares.begin(), options.middlewares.end());
    for (const ParsedFile& file : files) files_.emplace(file.path, &file);
  }

  Resolution run() {
    // Middlewares first, because routes refer to them.
    for (const auto& [path, file] : files_) add_unit(*file);
    for (const auto& [path, file] : files_) {
      add_diagnostics(*file);
      Reporter reporter(result_.diagnostics);
      check_export_kind(*file, reporter);
      if (role_of(path) == FileRole::route) add_route_file(*file);
    }
    check_duplicate_route_files(result_.application, result_.diagnostics);
    check_duplicate_routes(result_.application, result_.diagnostics);
    check_ambiguous_routes(result_.application, result_.diagnostics);
    check_duplicate_operation_ids(result_.application, result_.diagnostics);
    check_operation_names(result_.application, result_.diagnostics);
    check_copied_references(result_.application, result_.diagnostics);
    std::vector<const ParsedFile*> parsed;
    for (const auto& [path, file] : files_) parsed.push_back(file);
    check_generated_types(result_.application, parsed, result_.diagnostics);
    const PageLibrary pages(result_.application);
    check_page_templates(pages, result_.diagnostics);
    check_page_references(result_.application, result_.diagnostics);
    check_page_variables(result_.application, pages, result_.diagnostics);
    diagnostics::sort_diagnostics(result_.diagnostics);
    return std::move(result_);
  }

 private:
  /// The front end knows only the subpaths of routes; here its diagnostics get the final paths.
  void add_diagnostics(const ParsedFile& file) {
    for (model::Diagnostic diagnostic : file.diagnostics) {
      if (role_of(file.path) == FileRole::route && !diagnostic.route.empty()) {
        diagnostic.route = fw::schema::join_route_paths(prefix_of(file.path), diagnostic.route);
      }
      result_.diagnostics.push_back(std::move(diagnostic));
    }
  }

  void add_unit(const ParsedFile& file) {
    const FileRole role = role_of(file.path);
    model::Unit unit{file.path, unit_name(file.path)};
    if (role == FileRole::middleware) {
      middlewares_.insert(unit.name);
      result_.application.middlewares.push_back(std::move(unit));
    } else if (role == FileRole::plugin) {
      result_.application.plugins.push_back(std::move(unit));
    }
  }

  void add_route_file(const ParsedFile& file) {
    Reporter reporter(result_.diagnostics);
    model::RouteFile route_file;
    route_file.path = file.path;
    route_file.display_path = file.display_path;
    route_file.prefix = prefix_of(file.path);
    route_file.export_range = file.export_range;
    if (route_file.export_range.file.empty()) route_file.export_range.file = file.display_path;
    if (!check_prefix(route_file.prefix, route_file.export_range, reporter)) return;
    // A file whose routes could not be read still occupies its prefix.
    if (const ParsedFile* const source = exporting_file(file, files_, reporter)) {
      route_file.export_path = source->path;
      for (const model::Registration& registration : source->registrations) {
        add_route(registration, route_file);
      }
    }
    result_.application.files.push_back(std::move(route_file));
  }

  void add_route(const model::Registration& registration, model::RouteFile& file) {
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
    Reporter reporter(result_.diagnostics, route.method, route.path);
    const auto path = checked_path(file.prefix, registration.path_value, route.path, reporter);
    if (!path) return report_options(registration, std::move(route));
    apply_options(registration.options ? &*registration.options : nullptr, path->names, route,
                  reporter);
    check_middlewares(route, middlewares_, reporter);
    // Options that could not be resolved may contain an id.
    if (route.operation_id_inferred && registration.options_resolved) {
      route.operation_id = inferred_operation_id(route.method, route.path);
    }
    if (route.docs.tags_inferred) route.docs.tags = {tag_of(file.path)};
    file.routes.push_back(std::move(route));
  }

  /// The errors in the options of a registration with an invalid path, except those that follow
  /// from the path.
  void report_options(const model::Registration& registration, model::Route route) {
    model::Diagnostics errors;
    Reporter reporter(errors, route.method, route.path);
    apply_options(registration.options ? &*registration.options : nullptr, {}, route, reporter);
    check_middlewares(route, middlewares_, reporter);
    for (model::Diagnostic& error : errors) {
      if (error.id != rules::unknown_path_parameter.id)
        result_.diagnostics.push_back(std::move(error));
    }
  }

  FileIndex files_;
  std::set<std::string> middlewares_;
  Resolution result_;
};

}  // namespace

Resolution resolve(const std::vector<ParsedFile>& files, const ResolveOptions& options) {
  return Resolver(files, options).run();
}

}  // namespace fairway::check
