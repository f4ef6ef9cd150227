// What a route must be so that it can be a tool of the endpoint for agents (`mcp`). The route
// compiler reports violations ([not-a-tool]), and so does the application when it starts.
#pragma once

#include <nlohmann/json.hpp>

#include <string_view>
#include <vector>

#include "options/option_constraints.hpp"

namespace fw::options {

struct ToolRoute {
  const nlohmann::ordered_json& options;  ///< as written or as declared
  std::string_view method;
  std::string_view operation_id;  ///< the name of the tool; empty: it is not known
  bool returns_stream = false;    ///< the handler does
};

/// Why the route cannot be a tool; nothing if `mcp` is not set.
std::vector<Violation> tool_violations(const ToolRoute& route);

}  // namespace fw::options
