// The tools that read the application: they run in a process of their own.
#pragma once

#include <string>

#include "mcp/tool_source.hpp"

namespace fairway::mcp {

/// Checks the method and the path of `call`. Its result is an error result, or null.
inline constexpr const char* kCheckCall = "fairway/checkCall";

class ApplicationTools {
 public:
  explicit ApplicationTools(ToolSource& source) : source_(source) {}

  /// Runs a tool with valid arguments. An error of the application is an error result.
  Json run(const std::string& tool, const Json& arguments);

 private:
  Json routes(const Json& arguments);
  Json diagnostics(const Json& arguments);
  Json openapi(const Json& arguments);
  Json check_call(const Json& arguments);

  ToolSource& source_;
  Json last_routes_;  ///< the last ones without errors; null at first
};

}  // namespace fairway::mcp
