#include "mcp/mcp_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <signal.h>
#include <string_view>
#include <utility>

#include "base/suggest.hpp"
#include "mcp/request_sender.hpp"
#include "rpc/helper_process.hpp"
#include "rules/catalogue.hpp"

namespace fairway::mcp {
namespace {

using rpc::ErrorCode;
using rpc::RequestError;

/// The newest one is offered to clients that ask for another one.
constexpr std::array<std::string_view, 3> kVersions = {"2025-06-18", "2025-03-26", "2024-11-05"};
constexpr std::string_view kVersionWithBatches = "2025-03-26";

constexpr std::size_t kMaxRunning = 64;

constexpr std::string_view kInstructions =
    "Tools for a web API that is written with Fairway (C++). 'diagnostics' checks the routes in a "
    "second, without a build: call it after each change of a route, and 'explain' for a rule that "
    "you do not know. 'routes' and 'openapi' show what the sources declare.";

Json explanation(const std::string& id) {
  const model::Rule* const rule = rules::find_rule(id);
  if (rule == nullptr) {
    const std::string near = rules::near_rule(id);
    return error_result(fmt::format("there is no rule '{}'{}", id, near));
  }
  const bool is_error = rule->severity == model::Severity::error;
  return result_of({{"id", rule->id},
                    {"severity", is_error ? "error" : "warning"},
                    {"rule", rule->rule},
                    {"explanation", rule->explanation},
                    {"example", rule->example}});
}

/// The result of a tool from the response of a process. A crash is an error that the model sees.
Json result_in(const Json& response) {
  if (response.contains("result")) return response["result"];
  return error_result(response.at("error").at("message").get<std::string>());
}

bool is_request_id(const Json& id) { return id.is_string() || id.is_number_integer(); }

}  // namespace

Server::Server(int input, int output, MakeToolSource make_source, ServerSettings settings)
    : settings_(std::move(settings)),
      client_(
          loop_, input, output, rpc::Framing::lines,
          [this](const std::string& content) { receive(content); },
          [this] {
            has_ended_ = true;
            client_.close();
            stop_if_done();
          }),
      analysis_(
          loop_, settings_.folder,
          [make_source = std::move(make_source)](int connection) {
            const auto source = make_source();
            ApplicationTools tools(*source);
            rpc::respond_to_requests(connection,
                                     [&](const std::string& tool, const Json& arguments) {
                                       return tools.run(tool, arguments);
                                     });
          },
          settings_.analysis) {}

void Server::run() {
  ::signal(SIGPIPE, SIG_IGN);
  loop_.run();
  client_.flush();
}

void Server::stop_if_done() {
  if (has_ended_ && running_.empty()) loop_.stop();
}

std::span<const Tool> Server::offered() const {
  return settings_.base_url.empty() ? tools_without_program() : tools();
}

// Messages.

void Server::receive(const std::string& content) {
  Json message;
  try {
    message = rpc::parse_message(content);
  } catch (const RequestError&) {
    return client_.send(rpc::error_response(nullptr, std::current_exception()));
  }
  if (message.is_array() && protocol_version_ == kVersionWithBatches && !message.empty()) {
    receive_batch(message);
  } else {
    receive_message(message, nullptr);
  }
}

void Server::receive_batch(const Json& messages) {
  const auto batch = std::make_shared<Batch>();
  ++batch->running;  // until all messages are read
  for (const Json& message : messages) receive_message(message, batch);
  --batch->running;
  send_batch(batch);
}

void Server::receive_message(const Json& message, const BatchPointer& batch) {
  const bool is_object = message.is_object();
  if (is_object && !message.contains("method") &&
      (message.contains("result") || message.contains("error"))) {
    return;  // a response, although the server sends no requests
  }
  const bool has_id = is_object && message.contains("id");
  const Json id = has_id && is_request_id(message["id"]) ? message["id"] : Json();
  const bool is_valid = is_object && message.value("jsonrpc", Json()) == "2.0" &&
                        message.contains("method") && message["method"].is_string() &&
                        !(has_id && id.is_null());
  if (!is_valid) {
    return deliver(rpc::error_response(id, ErrorCode::invalid_request,
                                       "the message is not a request of JSON-RPC 2.0"),
                   batch);
  }
  const auto& method = message["method"].get_ref<const std::string&>();
  const Json params = message.contains("params") ? message["params"] : Json::object();
  if (!has_id) return notice(method, params);
  try {
    respond_to(id, method, params, batch);
  } catch (const std::exception&) {
    deliver(rpc::error_response(id, std::current_exception()), batch);
  }
}

void Server::respond_to(const Json& id, const std::string& method, const Json& params,
                        const BatchPointer& batch) {
  if (running_.contains(id.dump())) {
    throw RequestError(ErrorCode::invalid_request, "another request with this id is running");
  }
  if (!params.is_object()) {
    throw RequestError(ErrorCode::invalid_params, "the parameters must be an object");
  }
  const auto respond = [&](Json result) { deliver(rpc::response(id, std::move(result)), batch); };
  if (method == "ping") return respond(Json::object());
  if (method == "initialize") return respond(initialize(params));
  if (protocol_version_.empty()) {
    throw RequestError(ErrorCode::invalid_request, "'initialize' must be the first request");
  }
  if (method == "tools/list") return respond(list_tools(params));
  if (method == "tools/call") return call_tool(id, params, batch);
  throw RequestError(ErrorCode::method_not_found, fmt::format("unknown method '{}'", method));
}

void Server::notice(const std::string& method, const Json& params) {
  if (method == "notifications/cancelled" && params.is_object()) cancel(params);
}

/// A cancelled request has no response.
void Server::cancel(const Json& params) {
  const auto id = params.find("requestId");
  if (id == params.end()) return;
  auto found = running_.extract(id->dump(-1, ' ', false, Json::error_handler_t::replace));
  if (found.empty()) return;
  found.mapped().cancel();
  if (const BatchPointer& batch = found.mapped().batch) {
    --batch->running;
    send_batch(batch);
  }
  stop_if_done();
}

// Methods.

Json Server::initialize(const Json& params) {
  if (!protocol_version_.empty()) {
    throw RequestError(ErrorCode::invalid_request, "the server is already initialized");
  }
  const auto asked = params.at("protocolVersion").get<std::string>();
  const bool is_known = std::ranges::count(kVersions, asked) > 0;
  protocol_version_ = is_known ? asked : std::string(kVersions.front());
  return {
      {"protocolVersion", protocol_version_},
      {"capabilities", {{"tools", Json::object()}}},
      {"serverInfo", {{"name", "fairway"}, {"title", "Fairway"}, {"version", settings_.version}}},
      {"instructions", kInstructions}};
}

Json Server::list_tools(const Json& params) const {
  if (params.contains("cursor")) {
    throw RequestError(ErrorCode::invalid_params, "the list of tools has only one page");
  }
  Json list = Json::array();
  for (const Tool& tool : offered()) list.push_back(to_json(tool));
  return {{"tools", list}};
}

void Server::call_tool(const Json& id, const Json& params, const BatchPointer& batch) {
  const auto name = params.at("name").get<std::string>();
  const auto tool = std::ranges::find(offered(), name, &Tool::name);
  if (tool == offered().end()) {
    std::vector<std::string_view> names;
    for (const Tool& each : offered()) names.push_back(each.name);
    throw RequestError(ErrorCode::invalid_params, fmt::format("unknown tool '{}'{}", name,
                                                              fw::base::did_you_mean(name, names)));
  }
  const Json arguments = params.contains("arguments") ? params["arguments"] : Json::object();
  if (const std::string error = argument_error(*tool, arguments); !error.empty()) {
    throw RequestError(ErrorCode::invalid_params,
                       fmt::format("invalid arguments of '{}': {}", name, error));
  }
  if (name == "explain") {
    return deliver(rpc::response(id, explanation(arguments["rule"].get<std::string>())), batch);
  }
  if (name == "call") {
    if (const std::string error = request_error(arguments); !error.empty()) {
      return deliver(rpc::response(id, error_result(error)), batch);
    }
  }
  begin(id, batch);
  if (name == "requests" || name == "trace") return send_call(id, name, arguments);
  ask_application(id, name, arguments);
}

void Server::ask_application(const Json& id, const std::string& tool, const Json& arguments) {
  const bool is_call = tool == "call";
  const Analysis::RequestId request = analysis_.ask(
      is_call ? kCheckCall : tool, arguments, [this, id, arguments, is_call](const Json& response) {
        const bool may_call =
            is_call && response.contains("result") && response["result"].is_null();
        if (may_call) return send_call(id, "call", arguments);
        finish(id, rpc::response(id, result_in(response)));
      });
  running_[id.dump()].cancel = [this, request] { analysis_.forget(request); };
}

/// Each request has a process of its own, so that it can be ended.
void Server::send_call(const Json& id, const std::string& tool, const Json& arguments) {
  const auto process = std::make_shared<rpc::HelperProcess>(
      loop_, "the request", settings_.folder,
      [url = settings_.base_url](int connection) { send_requests(url, connection); });
  const auto timer = loop_.after(settings_.call_time, [this, process] {
    process->end(fmt::format("no complete response within {} s",
                             std::chrono::duration<double>(settings_.call_time).count()));
  });
  running_[id.dump()].cancel = [this, process, timer] {
    loop_.cancel(timer);
    loop_.after({}, [process] {});  // the last owner, because the process may be calling
  };
  process->call(tool, arguments, [this, id](const Json& response) {
    const auto found = running_.find(id.dump());
    if (found == running_.end()) return;
    found->second.cancel();
    finish(id, rpc::response(id, result_in(response)));
  });
}

// Responses.

void Server::begin(const Json& id, const BatchPointer& batch) {
  if (running_.size() >= kMaxRunning) {
    throw RequestError(ErrorCode::internal_error,
                       fmt::format("more than {} requests are running", kMaxRunning));
  }
  running_[id.dump()].batch = batch;
  if (batch) ++batch->running;
}

void Server::finish(const Json& id, Json response) {
  const BatchPointer batch = running_.extract(id.dump()).mapped().batch;
  if (batch) --batch->running;
  deliver(std::move(response), batch);
  stop_if_done();
}

void Server::deliver(Json response, const BatchPointer& batch) {
  if (!batch) return client_.send(response);
  batch->responses.push_back(std::move(response));
  send_batch(batch);
}

void Server::send_batch(const BatchPointer& batch) {
  if (batch->running > 0 || batch->responses.empty()) return;
  client_.send(std::exchange(batch->responses, Json::array()));
}

}  // namespace fairway::mcp
