// The request line: method, target and version (RFC 9112, 3).
#pragma once

#include <optional>
#include <string_view>

#include "http/request_error.hpp"

namespace fw::http {

/// Views into the line that was parsed.
struct RequestLine {
  std::string_view method;
  std::string_view target;  ///< as sent
  bool is_http_1_0 = false;
};

/// Parses a line without its CRLF. The methods of RFC 9110 and PATCH are known, the versions 1.0
/// and 1.1 supported.
std::optional<RequestError> parse_request_line(std::string_view line, RequestLine& result);

}  // namespace fw::http
