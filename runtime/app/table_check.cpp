#include "app/table_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/contract.hpp"
#include "schema/fingerprint.hpp"
#include "schema/route_path.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kRebuild = "; rebuild the application";

bool same_registration(const RouteRow& row, const RouteRecord& record) {
  return row.method == record.method && row.subpath == record.path;
}

}  // namespace

void check_against_table(const RouteFileRow& file, const std::vector<RouteRecord>& records,
                         std::vector<std::string>& faults) {
  for (const RouteRecord& record : records) {
    const auto row =
        std::find_if(file.routes.begin(), file.routes.end(),
                     [&](const RouteRow& item) { return same_registration(item, record); });
    if (row == file.routes.end()) {
      faults.push_back(fmt::format("{}: {} {} was added after the route table was built{}",
                                   file.file, record.method,
                                   schema::join_route_paths(file.prefix, record.path), kRebuild));
    } else if (row->fingerprint != schema::contract_fingerprint(contract_of(record))) {
      faults.push_back(fmt::format(
          "{}:{}: {} {} was changed after the route table was built (its schemas, responses, "
          "middlewares or operationId){}",
          file.file, row->line, row->method, row->path, kRebuild));
    }
  }
  for (const RouteRow& row : file.routes) {
    const bool registered =
        std::any_of(records.begin(), records.end(),
                    [&](const RouteRecord& record) { return same_registration(row, record); });
    if (!registered) {
      faults.push_back(fmt::format("{}: {} {} was removed after the route table was built{}",
                                   file.file, row.method, row.path, kRebuild));
    }
  }
}

}  // namespace fw::detail
