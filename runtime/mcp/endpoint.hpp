// The endpoint of the Model Context Protocol: routes with `mcp` are its tools
// (docs/mcp-endpoint.md). Protocol:
// https://modelcontextprotocol.io/specification/2025-06-18/basic/transports
#pragma once

#include <fairway/generated/route_table.hpp>
#include <fairway/json.hpp>
#include <fairway/request.hpp>
#include <fairway/response.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/exchange.hpp"
#include "mcp/tool.hpp"
#include "openapi/documentation.hpp"
#include "pipeline/pipeline.hpp"

namespace fw::mcp {

/// Without sessions of the protocol: a request needs no earlier one. Set up before the application
/// serves; thread-safe from then on. Must outlive its routes.
class Endpoint {
 public:
  Endpoint(const detail::Environment& env, const detail::Pipeline& pipeline);

  /// Adds the routes of the endpoint.
  void add_routes(detail::Pipeline& pipeline, std::vector<std::string>& errors);
  /// Makes the tools. `documentation` must outlive the endpoint. Throws StartupError.
  void prepare(const openapi::Documentation& documentation);

 private:
  void respond(Request& req, Response& res) const;
  void require_origin(detail::Exchange& exchange) const;
  /// The response to a message; null if it has none.
  Json respond_to(detail::Exchange& exchange, const Json& message) const;
  Json run(detail::Exchange& exchange, const std::string& method, const Json& params,
           const Json& id) const;
  Json initialize(const Json& params) const;
  Json list_tools(detail::Exchange& exchange, const Json& params) const;
  Json call_tool(detail::Exchange& exchange, const Json& params, const Json& id) const;
  Json send(detail::Exchange& exchange, const Tool& tool, const Json& arguments,
            const Json& id) const;
  bool is_reserved(std::string_view field) const;

  const detail::Environment& env_;
  const detail::Pipeline& pipeline_;
  const openapi::Documentation* documentation_ = nullptr;
  std::vector<Tool> tools_;
  std::vector<std::string> origins_;
};

}  // namespace fw::mcp

namespace fw::detail {

/// What programs with tools contain; see `Features`. mcp/endpoint.cpp
struct McpTools {
  /// Makes the tools of the documented operations. The documentation must outlive it. Throws
  /// StartupError.
  using Prepare = std::function<void(const openapi::Documentation& documentation)>;
  /// Adds the routes of an endpoint. The result must outlive them.
  Prepare (*add_endpoint)(const Environment& env, Pipeline& pipeline,
                          std::vector<std::string>& errors);
};

}  // namespace fw::detail
