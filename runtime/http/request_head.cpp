#include "http/request_head.hpp"

#include "http/field_lines.hpp"
#include "http/request_line.hpp"
#include "http/request_target.hpp"

namespace fw::http {

std::optional<Fault> parse_request_head(std::string_view bytes, std::size_t max_header_count,
                                        RequestHead& head, Framing& framing) {
  const auto line_end = bytes.find("\r\n");
  RequestLine line;
  if (const auto fault = parse_request_line(bytes.substr(0, line_end), line)) return fault;
  head.method = line.method;
  head.target = line.target;
  framing.is_http_1_0 = line.is_http_1_0;

  const auto lines = bytes.substr(line_end + 2, bytes.size() - line_end - 4);
  head.fields.reserve(16);
  if (const auto fault = parse_field_lines(lines, max_header_count, head.fields)) return fault;
  if (const auto fault = parse_framing(head.fields, framing)) return fault;
  if (const auto fault = normalize_request_target(head)) return fault;
  head.content_length = framing.content_length;
  head.has_body = framing.has_body();
  return std::nullopt;
}

}  // namespace fw::http
