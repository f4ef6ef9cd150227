#include "mcp/endpoint.hpp"

#include <fairway/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "base/ascii.hpp"
#include "base/json_text.hpp"
#include "base/media_type.hpp"
#include "base/origin.hpp"
#include "chain/error_response.hpp"
#include "errors/messages.hpp"
#include "http/trusted_proxies.hpp"
#include "mcp/tool_call.hpp"
#include "mcp/tool_transaction.hpp"
#include "observe/active_span.hpp"
#include "openapi/openapi_walk.hpp"

namespace fw::mcp {
namespace {

using detail::Exchange;

// Messages of JSON-RPC 2.0, as far as a server needs them that sends no requests.

enum class ErrorCode {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
};

/// The error response to a request.
class JsonRpcError : public std::runtime_error {
 public:
  JsonRpcError(ErrorCode code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

Json response_message(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json error_message(const Json& id, ErrorCode code, std::string_view message) {
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"error", {{"code", static_cast<int>(code)}, {"message", message}}}};
}

/// The newest one is offered to clients that ask for another one. 2025-03-26 is not among them,
/// because it has arrays of messages: one request would be many, without the limits of a request.
constexpr std::array<std::string_view, 2> kVersions = {"2025-06-18", "2024-11-05"};

constexpr std::string_view kJson = "application/json";

bool accepts_json(std::string_view accept) {
  return accept.empty() || base::accepts(accept, {"*/*", "application/*", kJson});
}

/// Throws for a request that no client of the protocol sends.
void require_message(Exchange& exchange) {
  const auto version = exchange.header("mcp-protocol-version");
  if (version && std::ranges::find(kVersions, base::trim_ows(*version)) == kVersions.end()) {
    throw detail::status_error(
        400, fmt::format("MCP-Protocol-Version must be {}", fmt::join(kVersions, " or ")));
  }
  const std::string_view type = base::media_type(exchange.header("content-type").value_or(""));
  // Browsers send other types across origins without asking first.
  if (!base::equal_ignoring_case(type, kJson)) {
    throw detail::status_error(415, "a message is application/json");
  }
  if (!accepts_json(exchange.header("accept").value_or(""))) {
    throw detail::status_error(406, "the response is application/json");
  }
}

bool is_request_id(const Json& id) { return id.is_string() || id.is_number_integer(); }

bool is_object_with(const Json& message, const char* name) {
  return message.is_object() && message.contains(name);
}

std::string_view method_of(const Json& message) {
  if (!is_object_with(message, "method") || !message["method"].is_string()) return {};
  return message["method"].get_ref<const std::string&>();
}

/// Whether a response says that the message was no request.
bool is_refused(const Json& response) {
  return response.contains("error") &&
         response["error"]["code"] == static_cast<int>(ErrorCode::invalid_request);
}

void respond_with_json(Response& res, const Json& message, int status) {
  res.set_header("content-type", kJson);
  res.text(base::to_json_text(message), status);
}

/// The error of a message of which nothing is known.
void refuse(Response& res, ErrorCode code, std::string_view message) {
  respond_with_json(res, error_message(nullptr, code, message), 400);
}

/// Lets a response to a tool be sent before its handler has returned. The response to
/// the outer request has the fields `fields`.
ToolTransaction::Early send_early(Exchange& exchange, const Tool& tool, const Json& id,
                                  std::string base_url, std::string target) {
  http::Fields fields = exchange.outgoing.fields;
  fields.set("content-type", kJson);
  return
      [transaction = exchange.transaction, fields = std::move(fields), &tool, id,
       base_url = std::move(base_url), target = std::move(target)](const ToolResponse& response) {
        const Json message = response_message(id, result_of(tool, response, base_url, target));
        transaction->respond({.status = 200, .fields = fields}, base::to_json_text(message));
      };
}

}  // namespace

Endpoint::Endpoint(const detail::Environment& env, const detail::Pipeline& pipeline)
    : env_(env), pipeline_(pipeline) {
  for (const std::string& origin : env.config.mcp.origins) {
    origins_.push_back(base::parse_origin(origin).value_or(origin));
  }
}

void Endpoint::add_routes(detail::Pipeline& pipeline, std::vector<std::string>& errors) {
  const auto add = [&](std::string method, Handler handler) {
    detail::Route route{.method = std::move(method),
                        .path = env_.config.mcp.path,
                        .file = "mcp.path",
                        .options = {},
                        .handler = std::move(handler)};
    // What is not JSON is an error of JSON-RPC, too.
    route.options.body_parser = BodyParser{.enabled = false};
    // Messages are JSON of an allowed origin. The request of a tool is checked itself.
    route.options.csrf = false;
    pipeline.add(std::move(route), errors);
  };
  add("POST", [this](Request& req, Response& res) { respond(req, res); });
  // There are no streams and no sessions. A route or a file for all paths must not serve these.
  for (const char* const method : {"GET", "DELETE"}) {
    add(method, [](Request& req, Response& res) {
      res.set_header("allow", "POST").set_header("cache-control", "no-store");
      Exchange& exchange = Exchange::of(req);
      respond_with_error_body(
          exchange, 405,
          detail::plain_error_body(405, detail::status_name(405), exchange.context.request_id));
    });
  }
}

void Endpoint::prepare(const openapi::Documentation& documentation) {
  documentation_ = &documentation;
  tools_ = tools_of(documentation.document(), pipeline_.routes(),
                    [this](std::string_view field) { return is_reserved(field); });
}

bool Endpoint::is_reserved(std::string_view field) const {
  const auto is_field = [&](const std::string& name) {
    return base::equal_ignoring_case(field, name);
  };
  return is_field_of_client(field) || is_field(env_.config.request_id.header) ||
         std::ranges::any_of(env_.config.csrf.headers, is_field);
}

/// A page can make a browser send requests from within the user's network, and its name may lead to
/// this program (DNS rebinding), so that its own origin counts only if its host is no such name.
void Endpoint::require_origin(Exchange& exchange) const {
  const auto origin = exchange.header("origin");
  if (!origin) return;
  const auto parsed = base::parse_origin(*origin);
  if (parsed && std::ranges::find(origins_, *parsed) != origins_.end()) return;
  const std::string_view host = exchange.header("host").value_or("");
  const auto own = base::parse_origin(fmt::format("{}://{}", exchange.protocol(), host));
  if (parsed && parsed == own && http::is_loopback(host)) return;
  throw detail::status_error(403, "pages of this origin may not use the endpoint");
}

void Endpoint::respond(Request& req, Response& res) const {
  Exchange& exchange = Exchange::of(req);
  res.set_header("cache-control", "no-store");
  require_origin(exchange);
  require_message(exchange);
  try {
    exchange.parse_body(detail::BodyType::json);
  } catch (const HttpError& error) {
    if (error.status() != 400) throw;
    return refuse(res, ErrorCode::parse_error, "the message is not valid JSON");
  }
  if (!exchange.parsed_body.exists()) {
    return refuse(res, ErrorCode::parse_error, "the message is not valid JSON");
  }
  const Json& message = exchange.body();
  if (message.is_array()) {
    return refuse(res, ErrorCode::invalid_request, "a request has one message, not an array");
  }
  const Json response = respond_to(exchange, message);
  if (response.is_null()) return res.status(202).end();
  respond_with_json(res, response, is_refused(response) ? 400 : 200);
}

Json Endpoint::respond_to(Exchange& exchange, const Json& message) const {
  const std::string method(method_of(message));
  if (message.is_object() && !message.contains("method") &&
      (message.contains("result") || message.contains("error"))) {
    return nullptr;  // a response, although the server sends no requests
  }
  const bool has_id = is_object_with(message, "id");
  const Json id = has_id && is_request_id(message["id"]) ? message["id"] : Json();
  const bool is_valid = is_object_with(message, "jsonrpc") && message["jsonrpc"] == "2.0" &&
                        is_object_with(message, "method") && message["method"].is_string() &&
                        !(has_id && id.is_null());
  if (!is_valid) {
    return error_message(id, ErrorCode::invalid_request,
                         "the message is not a request of JSON-RPC 2.0");
  }
  // A call ends when its client closes the connection. `notifications/cancelled` arrives on
  // another one, and cannot name it, because there are no sessions.
  if (!has_id) return nullptr;
  try {
    const Json params = message.contains("params") ? message["params"] : Json::object();
    if (!params.is_object()) {
      throw JsonRpcError(ErrorCode::invalid_params, "the parameters must be an object");
    }
    return response_message(id, run(exchange, method, params, id));
  } catch (const JsonRpcError& error) {
    return error_message(id, error.code(), error.what());
  }
}

Json Endpoint::run(Exchange& exchange, const std::string& method, const Json& params,
                   const Json& id) const {
  if (method == "ping") return Json::object();
  if (method == "initialize") return initialize(params);
  if (method == "tools/list") return list_tools(exchange, params);
  if (method == "tools/call") return call_tool(exchange, params, id);
  throw JsonRpcError(ErrorCode::method_not_found, fmt::format("unknown method '{}'", method));
}

Json Endpoint::initialize(const Json& params) const {
  const auto asked = params.find("protocolVersion");
  if (asked == params.end() || !asked->is_string()) {
    throw JsonRpcError(ErrorCode::invalid_params, "'protocolVersion' must be a string");
  }
  const auto known = std::ranges::find(kVersions, asked->get_ref<const std::string&>());
  const auto* const info = openapi::member(documentation_->document(), "info");
  const auto text = [&](std::string_view name, std::string otherwise) {
    std::string value = info != nullptr ? openapi::text_member(*info, name) : std::string();
    return value.empty() ? std::move(otherwise) : value;
  };
  Json result = {
      {"protocolVersion", known == kVersions.end() ? kVersions.front() : *known},
      {"capabilities", {{"tools", Json::object()}}},
      {"serverInfo", {{"name", text("title", "API")}, {"version", text("version", "0.0.0")}}}};
  if (std::string description = text("description", ""); !description.empty()) {
    result["instructions"] = std::move(description);
  }
  return result;
}

Json Endpoint::list_tools(Exchange& exchange, const Json& params) const {
  if (const auto cursor = params.find("cursor"); cursor != params.end() && !cursor->is_null()) {
    throw JsonRpcError(ErrorCode::invalid_params, "the list of tools has only one page");
  }
  Json list = Json::array();
  for (const Tool& tool : tools_) {
    if (documentation_->shows(exchange.request, tool.name)) list.push_back(Json(tool.listed));
  }
  return {{"tools", std::move(list)}};
}

Json Endpoint::call_tool(Exchange& exchange, const Json& params, const Json& id) const {
  const auto name = params.find("name");
  if (name == params.end() || !name->is_string()) {
    throw JsonRpcError(ErrorCode::invalid_params, "'name' must be a string");
  }
  const auto& wanted = name->get_ref<const std::string&>();
  const auto tool = std::ranges::find(tools_, wanted, &Tool::name);
  if (tool == tools_.end() || !documentation_->shows(exchange.request, wanted)) {
    throw JsonRpcError(ErrorCode::invalid_params, fmt::format("unknown tool '{}'", wanted));
  }
  const Json arguments = params.value("arguments", Json::object());
  if (!arguments.is_object()) {
    throw JsonRpcError(ErrorCode::invalid_params, "'arguments' must be an object");
  }
  try {
    return send(exchange, *tool, arguments, id);
  } catch (const ArgumentError& error) {
    return error_result(error.what());
  }
}

/// The request runs through the whole pipeline, on this thread, with the fields and the session of
/// the caller.
Json Endpoint::send(Exchange& exchange, const Tool& tool, const Json& arguments,
                    const Json& id) const {
  ToolRequest request = make_request(
      tool, arguments,
      {.outer = exchange.head,
       .max_head = static_cast<std::size_t>(env_.config.server.max_header_size.bytes()),
       .is_reserved = [this](std::string_view field) { return is_reserved(field); }});
  const std::string target = request.head.target;
  // "/users/:id" with the id "me" could be the request of another route.
  auto plan = pipeline_.plan_inner(request.head, exchange);
  if (plan->route() != tool.route) {
    throw ArgumentError(fmt::format("the path {} is not one of this tool", target));
  }
  http::Fields& fields = request.head.fields;
  if (!exchange.context.request_id.empty()) {
    fields.set(env_.config.request_id.header, exchange.context.request_id);
  }
  if (const detail::SpanPosition* const span = detail::current_span(); span != nullptr) {
    fields.set("traceparent", detail::traceparent_of(*span));
  }
  const std::string base_url =
      fmt::format("{}://{}", exchange.protocol(), exchange.header("host").value_or("localhost"));
  const auto transaction = std::make_shared<ToolTransaction>(
      std::move(request.head), std::move(request.body), std::move(plan),
      static_cast<std::size_t>(env_.config.mcp.max_response_size.bytes()), exchange.transaction,
      send_early(exchange, tool, id, base_url, target));
  exchange.cancellation()->on_close([weak = std::weak_ptr<ToolTransaction>(transaction)] {
    if (const auto running = weak.lock()) running->disconnect();
  });
  pipeline_.handle(transaction);
  const auto& response = transaction->response();
  if (!response) {
    throw JsonRpcError(ErrorCode::internal_error, "the route has sent no response");
  }
  for (const auto& [name, value] : response->head.fields) {
    if (base::equal_ignoring_case(name, "set-cookie")) exchange.outgoing.add_cookie(value);
  }
  return result_of(tool, *response, base_url, target);
}

}  // namespace fw::mcp

namespace fw::detail {

const McpTools kMcpTools = {
    .add_endpoint = [](const Environment& env, Pipeline& pipeline,
                       std::vector<std::string>& errors) -> McpTools::Prepare {
      const auto endpoint = std::make_shared<mcp::Endpoint>(env, pipeline);
      endpoint->add_routes(pipeline, errors);
      return [endpoint](const openapi::Documentation& documentation) {
        endpoint->prepare(documentation);
      };
    },
};

}  // namespace fw::detail
