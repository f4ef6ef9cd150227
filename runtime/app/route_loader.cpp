#include "app/route_loader.hpp"

#include <fmt/format.h>

#include <exception>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "app/access.hpp"
#include "app/declaration_check.hpp"
#include "app/declaration_json.hpp"
#include "base/ascii.hpp"
#include "errors/exception_info.hpp"
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

/// The name of an option in C++: ".body_parser" for "bodyParser".
std::string member_name(std::string_view option) {
  std::string name = ".";
  for (const char c : option) {
    if (base::to_lower(c) != c) name += '_';
    name += base::to_lower(c);
  }
  if (option == "override") name += '_';
  return name;
}

std::string changed_options(const RouteRow& row, std::string_view registered) {
  std::vector<std::string> names = schema::differing_options(row.options, registered);
  for (std::string& name : names) name = member_name(name);
  const bool is_one = names.size() == 1;
  return fmt::format("the option{} {} of {} {} had {} when the route table was built",
                     is_one ? "" : "s", fmt::join(names, ", "), row.method, row.path,
                     is_one ? "another value" : "other values");
}

/// The row of each record; null if there is none. Appends an error for each route that was added,
/// removed or changed since the table was built.
std::vector<const RouteRow*> rows_of(const RouteFileRow& file,
                                     const std::vector<RouteRecord>& records,
                                     std::vector<std::string>& errors) {
  std::map<Registration, const RouteRow*> declared;
  for (const RouteRow& row : file.routes) declared.emplace(registration_of(row), &row);
  std::vector<const RouteRow*> rows;
  std::set<Registration> registered;
  for (const RouteRecord& record : records) {
    registered.insert(registration_of(record));
    const auto found = declared.find(registration_of(record));
    const RouteRow* const row = found == declared.end() ? nullptr : found->second;
    rows.push_back(row);
    if (row == nullptr) {
      errors.push_back(fmt::format("{}: {} {} was added after the route table was built{}",
                                   file.file, record.method,
                                   schema::join_route_paths(file.prefix, record.path), kRebuild));
    } else if (const std::string digests = schema::option_digests(declaration_of(record));
               digests != row->options) {
      errors.push_back(fmt::format("{}:{}: {}{}", file.file, row->line,
                                   changed_options(*row, digests), kRebuild));
    }
  }
  for (const RouteRow& row : file.routes) {
    if (registered.contains(registration_of(row))) continue;
    errors.push_back(fmt::format("{}: {} {} was removed after the route table was built{}",
                                 file.file, row.method, row.path, kRebuild));
  }
  return rows;
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
  const std::vector<const RouteRow*> rows = rows_of(file, records, errors);
  const bool uses_types = file.types != nullptr && app_.config().typed_path;
  for (std::size_t i = 0; i < records.size(); ++i) {
    RouteRecord& record = records[i];
    Route route{.method = std::move(record.method),
                .path = schema::join_route_paths(file.prefix, record.path),
                .file = std::string(file.file),
                .options = std::move(record.options),
                .handler = std::move(record.handler)};
    if (const RouteRow* const row = rows[i]) {
      route.line = row->line;
      route.operation_id = row->operation_id;
      if (uses_types) route.types = &file.types[row - file.routes.data()];
    }
    for (const std::string& error : declaration_errors(route.options)) {
      errors.push_back(source_of(route) + ": " + name_of(route) + ": " + error);
    }
    pipeline_.add(std::move(route), errors);
  }
}

}  // namespace fw::detail
