// A route with `mcp` as a tool: what the list of tools says of it, from the OpenAPI document.
#pragma once

#include <fairway/json.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/route.hpp"
#include "http/adapter.hpp"
#include "mcp/tool_transaction.hpp"

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

// tool_call.cpp: The request that the arguments of a tool are, and the result that its response is.

/// Why there is no request for the arguments. The agent may call again with others.
class ArgumentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Whether a header field belongs to the connection, to the client or to what has forwarded its
/// request, so that no argument may set it. `name` is in any case.
bool is_field_of_client(std::string_view name);

/// What a request has beside its arguments.
struct ToolRequestContext {
  const http::RequestHead& outer;  ///< the request for the endpoint, with the caller's credentials
  std::size_t max_head = 0;        ///< bytes of the path, the query and the header fields
  /// Whether no argument sets the field: see `is_field_of_client`; an application has others.
  std::function<bool(std::string_view)> is_reserved;
};

struct ToolRequest {
  http::RequestHead head;
  std::string body;
};

/// The request of a tool. `arguments` is an object. Throws ArgumentError.
ToolRequest make_request(const Tool& tool, const Json& arguments,
                         const ToolRequestContext& context);

/// The result of `tools/call`. `base_url` is the URL of the application: "https://shop.example".
Json result_of(const Tool& tool, const ToolResponse& response, std::string_view base_url,
               std::string_view target);

/// A result that the agent sees as an error.
Json error_result(std::string_view message);

}  // namespace fw::mcp
