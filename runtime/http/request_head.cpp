#include "http/request_head.hpp"

#include "http/field_lines.hpp"
#include "http/request_line.hpp"
#include "http/request_target.hpp"

namespace fw::http {

std::optional<RequestError> parse_request_head(std::string_view bytes, std::size_t max_header_count,
                                               RequestHead& head, Framing& framing) {
  const auto line_end = bytes.find("\r\n");
  RequestLine line;
  if (const auto error = parse_request_line(bytes.substr(0, line_end), line)) return error;
  head.method = line.method;
  head.target = line.target;
  framing.is_http_1_0 = line.is_http_1_0;

  const auto lines = bytes.substr(line_end + 2, bytes.size() - line_end - 4);
  head.fields.reserve(16);
  if (const auto error = parse_field_lines(lines, max_header_count, head.fields)) return error;
  if (const auto error = parse_framing(head.fields, framing)) return error;
  if (const auto error = normalize_request_target(head)) return error;
  head.content_length = framing.content_length;
  head.has_body = framing.has_body();
  return std::nullopt;
}

}  // namespace fw::http
