#include "rules/check.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "diagnostics/report.hpp"
#include "resolve/page_library.hpp"
#include "rules/application_rules.hpp"
#include "rules/route_rules.hpp"
#include "schema/route_path.hpp"

namespace fairway::rules {
namespace {

using model::ParsedFile;
using resolve::FileRole;
using resolve::role_of;

class Check {
 public:
  Check(const std::vector<ParsedFile>& files, const resolve::Options& options,
        const resolve::GeneratedCode& code)
      : code_(code), missing_headers_(options.missing_headers) {
    for (const ParsedFile& file : files) files_.emplace(file.path, &file);
    result_.application = resolve::resolve_application(files_, options);
    middlewares_.insert(options.middlewares.begin(), options.middlewares.end());
    for (const auto& middleware : result_.application.middlewares) {
      middlewares_.insert(middleware.name);
    }
  }

  CheckedApplication run() {
    const model::Application& application = result_.application;
    model::Diagnostics& diagnostics = result_.diagnostics;
    std::vector<const ParsedFile*> parsed;
    std::vector<model::RouteFile> route_files;
    for (const auto& [path, file] : files_) {
      parsed.push_back(file);
      add_diagnostics(*file);
      Reporter reporter(diagnostics);
      check_export_kind(*file, reporter);
      if (role_of(path) != FileRole::route) continue;
      model::RouteFile route_file = resolve::resolved_file(*file);
      if (!check_prefix(route_file.prefix, route_file.export_range, reporter)) continue;
      check_routes(*file, route_file);
      route_files.push_back(std::move(route_file));
    }
    check_field_texts(parsed, diagnostics);
    check_type_names(parsed, diagnostics);
    check_duplicate_route_files(route_files, diagnostics);
    check_duplicate_routes(application, diagnostics);
    check_ambiguous_routes(application, diagnostics);
    check_duplicate_operation_ids(application, diagnostics);
    check_operation_names(application, diagnostics);
    check_copied_references(application, code_, diagnostics);
    check_generated_types(application, parsed, code_, missing_headers_, diagnostics);
    const resolve::PageLibrary pages(application);
    check_page_templates(pages, diagnostics);
    check_page_references(application, diagnostics);
    check_page_variables(application, pages, diagnostics);
    diagnostics::sort_diagnostics(diagnostics);
    return std::move(result_);
  }

 private:
  /// The front end knows only the subpaths of routes; here its diagnostics get the final paths.
  void add_diagnostics(const ParsedFile& file) {
    for (model::Diagnostic diagnostic : file.diagnostics) {
      if (role_of(file.path) == FileRole::route && !diagnostic.route.empty()) {
        diagnostic.route =
            fw::schema::join_route_paths(resolve::prefix_of(file.path), diagnostic.route);
      }
      result_.diagnostics.push_back(std::move(diagnostic));
    }
  }

  void check_routes(const ParsedFile& file, const model::RouteFile& route_file) {
    const auto reexports = resolve::follow_reexports(file, files_);
    Reporter reporter(result_.diagnostics);
    check_reexports(file, reexports, reporter);
    if (!reexports.source) return;
    const auto& files = result_.application.files;
    const auto own = std::ranges::find(files, file.path, &model::RouteFile::path);
    std::size_t next = 0;  // of the routes of `own`, which lack those with invalid paths
    for (const model::Registration& registration : reexports.source->registrations) {
      const std::string full = fw::schema::join_route_paths(route_file.prefix, registration.path);
      Reporter route_reporter(result_.diagnostics, registration.method, full);
      const auto path =
          checked_path(route_file.prefix, registration.path_value, full, route_reporter);
      if (!path) {
        check_options_only(registration, resolve::resolved_route(registration, route_file));
      } else if (own == files.end()) {  // another file has the same prefix
        check_route(registration, path->names, resolve::resolved_route(registration, route_file),
                    route_reporter);
      } else {
        check_route(registration, path->names, own->routes[next++], route_reporter);
      }
    }
  }

  void check_route(const model::Registration& registration,
                   const std::vector<std::string>& parameters, const model::Route& route,
                   Reporter& reporter) {
    check_conflicting_schemas(registration, reporter);
    check_typed_parameters(registration, route, parameters, reporter);
    check_typed_reads(registration, route, reporter);
    check_generated_inputs(registration, result_.application.type_uses, reporter);
    check_left_status(registration, reporter);
    // Options that could not be resolved may declare what is sent.
    if (registration.options_resolved) check_sent_responses(route, reporter);
    if (registration.options) {
      check_options(*registration.options, parameters, route, reporter);
      if (registration.options_resolved) {
        check_socket(registration, route, reporter);
        check_tool(*registration.options, route, reporter);
      }
    }
    check_middlewares(route, middlewares_, reporter);
  }

  /// The errors in the options of a registration with an invalid path, except those that follow
  /// from the path.
  void check_options_only(const model::Registration& registration, const model::Route& route) {
    model::Diagnostics errors;
    Reporter reporter(errors, route.method, route.path);
    check_route(registration, {}, route, reporter);
    std::ranges::copy_if(errors, std::back_inserter(result_.diagnostics), [](const auto& error) {
      return error.id != rules::unknown_path_parameter.id;
    });
  }

  resolve::GeneratedCode code_;
  std::set<std::string> missing_headers_;
  resolve::FileIndex files_;
  std::set<std::string> middlewares_;
  CheckedApplication result_;
};

}  // namespace

CheckedApplication check(const std::vector<ParsedFile>& files, const resolve::Options& options,
                         const resolve::GeneratedCode& code) {
  return Check(files, options, code).run();
}

}  // namespace fairway::rules
