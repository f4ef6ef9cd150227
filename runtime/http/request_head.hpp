// A strict parser for request heads: the request line (RFC 9112, 3) and the fields. Converts the
// target to origin form.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "http/adapter.hpp"
#include "http/framing.hpp"

namespace fw::http {

struct RequestLine {
  std::string_view method;  ///< a constant
  std::string_view target;  ///< as sent; a view into the parsed line
  bool is_http_1_0 = false;
};

/// Parses a line without its CRLF. The methods of RFC 9110 and PATCH are known, the versions 1.0
/// and 1.1 supported.
std::optional<RequestError> parse_request_line(std::string_view line, RequestLine& result);

/// Sets method and target, which were received without a request line. The target must not be in
/// absolute form, because a field names the host.
std::optional<RequestError> set_method_and_target(std::string_view method, std::string_view target,
                                                  RequestHead& head);

/// Parses the bytes of a head, including the empty line at its end.
std::optional<RequestError> parse_request_head(std::string_view bytes, std::size_t max_header_count,
                                               RequestHead& head, Framing& framing);

}  // namespace fw::http
