// JSON-RPC 2.0 with the framing of the Language Server Protocol:
//
//   Content-Length: 46\r\n
//   \r\n
//   {"jsonrpc":"2.0","id":1,"method":"initialize"}
#pragma once

#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "model/application.hpp"

namespace fairway::lsp {

using model::Json;

enum class ErrorCode {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  server_not_initialized = -32002,
  request_cancelled = -32800,
  content_modified = -32801,
};

/// The error response to a request.
class RequestError : public std::runtime_error {
 public:
  RequestError(ErrorCode code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

/// Splits a stream of bytes into messages.
class MessageReader {
 public:
  void add(std::string_view bytes) { buffer_ += bytes; }
  /// The content of the next message, if it is complete. Empty for a header without a valid
  /// Content-Length, which is skipped.
  std::optional<std::string> next();

 private:
  std::string buffer_;
};

/// The bytes of a message. Bytes that are not UTF-8 become U+FFFD.
std::string framed(const Json& message);

Json notification(std::string_view method, Json params);
Json request(const Json& id, std::string_view method, Json params);
Json response(const Json& id, Json result);
Json error_response(const Json& id, ErrorCode code, const std::string& message);
/// The error response for what a handler has thrown. An exception of Json means that the parameters
/// are invalid for the method.
Json error_response(const Json& id, const std::exception_ptr& error);

}  // namespace fairway::lsp
