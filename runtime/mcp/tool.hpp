// A route with `mcp` as a tool: what the list of tools says of it, from the OpenAPI document.
#pragma once

#include <nlohmann/json.hpp>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/route.hpp"

namespace fw::mcp {

/// Where a parameter of an operation is in the request.
enum class ParameterLocation { param, query, header };

struct ToolParameter {
  std::string name;
  ParameterLocation location = ParameterLocation::query;
  bool is_wildcard = false;  ///< the value may have slashes
};

/// Immutable.
struct Tool {
  const detail::Route* route = nullptr;
  std::string name;  ///< the operation id
  std::string path;  ///< "/users/{id}"
  std::vector<ToolParameter> parameters = {};
  bool has_body = false;               ///< in JSON
  bool has_output = false;             ///< its result is an object, whose schema is known
  nlohmann::ordered_json listed = {};  ///< in the result of `tools/list`
};

/// The tools of an application, in the order of its routes. Header fields with a name for which
/// `is_reserved` returns true are no arguments. Throws StartupError if a route is not in the
/// document.
std::vector<Tool> tools_of(const nlohmann::ordered_json& document,
                           std::span<const detail::Route* const> routes,
                           const std::function<bool(std::string_view)>& is_reserved);

// tool_schema.cpp: Schemas of an OpenAPI document as JSON Schema that needs no document.

/// The component that `value` refers to with `$ref`; otherwise `value`. A reference to nothing is
/// not followed.
const nlohmann::ordered_json& referenced(const nlohmann::ordered_json& document,
                                         const nlohmann::ordered_json& value);

/// The schema with the components that it reaches in `$defs`, in the dialect 2020-12, without what
/// only OpenAPI has.
nlohmann::ordered_json self_contained(nlohmann::ordered_json schema,
                                      const nlohmann::ordered_json& document);

}  // namespace fw::mcp
