// A whole request head, checked: request line (RFC 9112, 3) and fields, with the target in origin
// form.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "http/adapter.hpp"
#include "http/framing.hpp"

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

/// Parses the bytes of a head, the empty line at its end included.
std::optional<RequestError> parse_request_head(std::string_view bytes, std::size_t max_header_count,
                                               RequestHead& head, Framing& framing);

}  // namespace fw::http
