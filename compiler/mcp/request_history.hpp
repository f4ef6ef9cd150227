// The last requests of the running program, with their spans, which `fairway dev` keeps for its
// page (docs/dev.md).
#pragma once

#include <string>
#include <string_view>

#include "rpc/json_rpc.hpp"

namespace fairway::mcp {

using rpc::Json;

/// The rows that the arguments of `requests` select, the last one first. `rows` is what the page
/// loads.
Json selected_requests(const Json& rows, const Json& arguments);

/// The result of the tools `requests` and `trace`. Throws contract_test::NoResponse.
Json read_history(const std::string& base_url, std::string_view tool, const Json& arguments);

}  // namespace fairway::mcp
