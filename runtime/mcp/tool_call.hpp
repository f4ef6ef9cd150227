// A call of a tool: the request that its arguments are, and the result that its response is.
#pragma once

#include <fairway/json.hpp>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "http/adapter.hpp"
#include "mcp/tool.hpp"
#include "mcp/tool_transaction.hpp"

namespace fw::mcp {

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
