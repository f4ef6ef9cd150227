// JSON-RPC 2.0: messages, and their framing in a stream of bytes.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "model/application.hpp"

namespace fairway::rpc {

using model::Json;

/// The codes of JSON-RPC, then the codes of the Language Server Protocol.
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

/// How messages follow each other.
enum class Framing {
  headers,  ///< "Content-Length: 46\r\n\r\n{…}", as in the Language Server Protocol
  lines,    ///< "{…}\n", as in the Model Context Protocol
};

/// The longest message in lines; with headers, it is 256 MiB.
inline constexpr std::size_t kMaxLine = 16 * 1024 * 1024;

/// Splits a stream of bytes into messages.
class MessageReader {
 public:
  explicit MessageReader(Framing framing) : framing_(framing) {}

  void add(std::string_view bytes) { buffer_ += bytes; }
  /// The content of the next message, if it is complete. Empty for a header without a valid
  /// Content-Length and for a line that is too long, which are skipped. Blank lines are no
  /// messages.
  std::optional<std::string> next();

 private:
  std::optional<std::string> next_with_header();
  std::optional<std::string> next_line();

  Framing framing_;
  std::string buffer_;
  std::size_t searched_ = 0;  ///< bytes of the buffer that have no end of a line
  bool skips_line_ = false;   ///< the rest of a line that is too long
};

/// The bytes of a message. Bytes that are not UTF-8 become U+FFFD.
std::string framed(const Json& message, Framing framing);

/// Parses the content of a message. Throws RequestError with `parse_error` if it is not JSON, and
/// with `invalid_request` if values are nested more than 400 levels deep.
Json parse_message(const std::string& content);

Json notification(std::string_view method, Json params);
Json request(const Json& id, std::string_view method, Json params);
Json response(const Json& id, Json result);
Json error_response(const Json& id, ErrorCode code, const std::string& message);
/// The error response for what a handler has thrown. An exception of Json means that the parameters
/// are invalid for the method.
Json error_response(const Json& id, const std::exception_ptr& error);

}  // namespace fairway::rpc
