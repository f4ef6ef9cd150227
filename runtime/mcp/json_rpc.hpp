// Messages of JSON-RPC 2.0, as far as a server needs them that sends no requests.
#pragma once

#include <fairway/json.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace fw::mcp {

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

inline Json response_message(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

inline Json error_message(const Json& id, ErrorCode code, std::string_view message) {
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"error", {{"code", static_cast<int>(code)}, {"message", message}}}};
}

}  // namespace fw::mcp
