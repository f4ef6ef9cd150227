#include "app/table_check.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "app/contract.hpp"
#include "schema/fingerprint.hpp"
#include "schema/route_path.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kRebuild = "; rebuild the application";

/// Method and path as registered.
using Registration = std::pair<std::string_view, std::string_view>;

Registration registration_of(const RouteRow& row) { return {row.method, row.subpath}; }
Registration registration_of(const RouteRecord& record) { return {record.method, record.path}; }

}  // namespace

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
    } else if (row->fingerprint != schema::contract_fingerprint(contract_of(record))) {
      errors.push_back(fmt::format(
          "{}:{}: {} {} was changed after the route table was built (its schemas, responses, "
          "middlewares or operationId){}",
          file.file, row->line, row->method, row->path, kRebuild));
    }
  }
  for (const RouteRow& row : file.routes) {
    if (registered.contains(registration_of(row))) continue;
    errors.push_back(fmt::format("{}: {} {} was removed after the route table was built{}",
                                 file.file, row.method, row.path, kRebuild));
  }
  return rows;
}

}  // namespace fw::detail
