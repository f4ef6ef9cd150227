#include "config/config_faults.hpp"

#include <fmt/format.h>

#include "config/config_table.hpp"
#include "exchange/ascii.hpp"

namespace fw::detail {

bool is_plain_path(std::string_view path) {
  return path.starts_with('/') && path.find_first_of(":*") == std::string_view::npos;
}

std::vector<std::string> config_faults(const Config& config) {
  std::vector<std::string> faults;
  // A value set in code must be one that a layer could have held.
  Config scratch;
  for (const ConfigKey& key : config_keys()) {
    const Json value = key.write(config);
    if (!key.read(scratch, value)) {
      faults.push_back(fmt::format("configuration: {}: expected {}, not {}", key.pointer,
                                   key.expectation, value.dump()));
    }
  }
  for (const auto& [pointer, name] :
       {std::pair{"/requestId/header", config.request_id.header},
        std::pair{"/requestId/responseHeader", config.request_id.response_header}}) {
    if (!is_token(name)) {
      faults.push_back(fmt::format("configuration: {}: '{}' is no header name", pointer, name));
    }
  }
  if (config.server.min_workers > config.server.max_workers) {
    faults.push_back(
        fmt::format("configuration: /server/minWorkers: {} is more than maxWorkers, {}",
                    config.server.min_workers, config.server.max_workers));
  }
  for (const auto& [pointer, path] : {std::pair{"/openapi/jsonPath", config.openapi.json_path},
                                      std::pair{"/openapi/docsPath", config.openapi.docs_path}}) {
    if (!is_plain_path(path)) {
      faults.push_back(fmt::format(
          "configuration: {}: '{}' must begin with / and have no parameters", pointer, path));
    }
  }
  return faults;
}

}  // namespace fw::detail
