#include "app/route_loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <variant>

#include "app/access.hpp"
#include "app/declaration_json.hpp"
#include "errors/exception_info.hpp"
#include "options/option_constraints.hpp"
#include "options/option_members.hpp"
#include "pipeline/type_registry.hpp"
#include "schema/fingerprint.hpp"
#include "schema/route_path.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kRebuild =
    "; rebuild the application. If that does not help, the route compiler has seen other macros or "
    "headers than the compiler of the program";

/// The registered method and path.
using Registration = std::pair<std::string_view, std::string_view>;

Registration registration_of(const RouteRow& row) { return {row.method, row.subpath}; }
Registration registration_of(const RouteRecord& record) { return {record.method, record.path}; }

std::string changed_options(const RouteRow& row, std::string_view registered) {
  std::vector<std::string> names = schema::differing_options(row.options, registered);
  for (std::string& name : names) name = '.' + options::member_name(name);
  const bool is_one = names.size() == 1;
  return fmt::format("the option{} {} of {} {} had {} when the route table was built",
                     is_one ? "" : "s", fmt::join(names, ", "), row.method, row.path,
                     is_one ? "another value" : "other values");
}

/// What the options of a route violate, without the name of the route.
std::vector<std::string> declaration_errors(const nlohmann::ordered_json& declaration,
                                            const Route& route) {
  const auto path = schema::parse_route_path(route.path);
  const auto* const parsed = std::get_if<schema::RoutePath>(&path);
  auto found = options::violations(declaration, route.method,
                                   parsed != nullptr ? parsed->names : std::vector<std::string>());
  std::ranges::move(options::duplicate_response_schemas(declaration), std::back_inserter(found));
  std::ranges::move(options::tool_violations({.options = declaration,
                                              .method = route.method,
                                              .operation_id = route.operation_id,
                                              .returns_stream = route.result_stream.has_value()}),
                    std::back_inserter(found));
  std::vector<std::string> errors;
  for (const options::Violation& violation : found) errors.push_back(violation.text());
  return errors;
}

/// A route with its row in the table.
struct Registered {
  RouteRecord* record;
  const RouteRow* row;  ///< null if there is none
  nlohmann::ordered_json declaration;
};

/// The routes whose types are known. Appends an error for each other route, and for each that was
/// added, removed or changed since the table was built.
std::vector<Registered> check(const RouteFileRow& file, std::vector<RouteRecord>& records,
                              std::vector<std::string>& errors) {
  std::map<Registration, const RouteRow*> declared;
  for (const RouteRow& row : file.routes) declared.emplace(registration_of(row), &row);
  std::vector<Registered> routes;
  std::set<Registration> registered;
  for (RouteRecord& record : records) {
    registered.insert(registration_of(record));
    const auto found = declared.find(registration_of(record));
    const RouteRow* const row = found == declared.end() ? nullptr : found->second;
    const std::string path = schema::join_route_paths(file.prefix, record.path);
    if (row == nullptr) {
      errors.push_back(fmt::format("{}: {} {} was added after the route table was built{}",
                                   file.file, record.method, path, kRebuild));
    }
    nlohmann::ordered_json declaration;
    try {
      declare_inputs(record);
      declaration = declaration_of(record);
      const std::string digests = schema::option_digests(declaration);
      if (row != nullptr && digests != row->options) {
        errors.push_back(fmt::format("{}:{}: {}{}", file.file, row->line,
                                     changed_options(*row, digests), kRebuild));
      }
      if (const std::type_info* const missing = record.handler.find_missing_result()) {
        throw_missing_code(*missing);
      }
    } catch (const std::logic_error& error) {
      if (row != nullptr) {
        errors.push_back(fmt::format("{}:{}: {} {}: {}", file.file, row->line, record.method, path,
                                     error.what()));
      }
      continue;
    }
    routes.push_back({&record, row, std::move(declaration)});
  }
  for (const RouteRow& row : file.routes) {
    if (registered.contains(registration_of(row))) continue;
    errors.push_back(fmt::format("{}: {} {} was removed after the route table was built{}",
                                 file.file, row.method, row.path, kRebuild));
  }
  return routes;
}

}  // namespace

void RouteLoader::load(const RouteFileRow& file, std::vector<std::string>& errors) {
  const RouteDefinition* definition = file.definition->routes();
  if (definition == nullptr) {
    errors.push_back(
        fmt::format("{}: the default export is not a value of fw::define_routes", file.file));
    return;
  }
  Router& router = routers_.emplace_back(app_);
  try {
    definition->run(router);
  } catch (...) {
    Access::end_registration(router);
    errors.push_back(fmt::format("{}: the factory failed: {}", file.file,
                                 describe(std::current_exception()).stack));
    return;
  }
  std::vector<RouteRecord> records = Access::end_registration(router);
  const bool uses_types = file.types != nullptr && app_.config().typed_path;
  for (const auto& [record, row, declaration] : check(file, records, errors)) {
    Route route{.method = std::move(record->method),
                .path = schema::join_route_paths(file.prefix, record->path),
                .file = std::string(file.file),
                .options = std::move(record->options),
                .handler = record->handler.get(),
                .result_stream = record->handler.stream()};
    if (row != nullptr) {
      route.line = row->line;
      route.operation_id = row->operation_id;
      if (uses_types) route.types = &file.types[row - file.routes.data()];
    }
    const std::vector<std::string> violations = declaration_errors(declaration, route);
    for (const std::string& violation : violations) {
      errors.push_back(source_of(route) + ": " + name_of(route) + ": " + violation);
    }
    // Other errors of a route with invalid options may follow from these.
    if (violations.empty()) pipeline_.add(std::move(route), errors);
  }
}

}  // namespace fw::detail
