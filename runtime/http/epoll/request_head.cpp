#include "http/epoll/request_head.hpp"

#include <utility>

#include "exchange/ascii.hpp"
#include "http/field_lines.hpp"

namespace fw::http {
namespace {

/// Brings an absolute-form target to origin form; its authority replaces Host (RFC 9112, 3.2.2).
std::optional<Fault> reduce_absolute_form(std::string& target, Fields& fields) {
  const auto authority_begin = target.find("://") + 3;
  const auto authority_end = std::min(target.find_first_of("/?", authority_begin), target.size());
  std::string authority = target.substr(authority_begin, authority_end - authority_begin);
  if (!is_authority(authority)) {
    return Fault{400, "the request target names no host with an optional port"};
  }
  target.erase(0, authority_end);
  if (target.empty() || target.front() == '?') target.insert(target.begin(), '/');
  for (auto& [name, value] : fields) {
    if (!detail::equal_ignoring_case(name, "host")) continue;
    value = std::move(authority);
    return std::nullopt;
  }
  fields.emplace_back("Host", std::move(authority));
  return std::nullopt;
}

std::optional<Fault> check_target(RequestHead& head) {
  auto& target = head.target;
  if (target.front() == '/') return std::nullopt;
  if (target == "*" && head.method == "OPTIONS") return std::nullopt;
  const auto scheme = std::string_view(target).substr(0, target.find("://"));
  if (scheme.size() != target.size() && (detail::equal_ignoring_case(scheme, "http") ||
                                         detail::equal_ignoring_case(scheme, "https"))) {
    return reduce_absolute_form(target, head.fields);
  }
  return Fault{400, "the request target is neither a path nor an http address"};
}

}  // namespace

std::optional<Fault> parse_request_head(const RequestLineParser& parser, std::string_view bytes,
                                        std::size_t max_header_count, RequestHead& head,
                                        Framing& framing) {
  const auto line_end = bytes.find("\r\n");
  RequestLine line;
  if (const auto fault = parser.parse(bytes.substr(0, line_end), line)) return fault;
  head.method = std::move(line.method);
  head.target = std::move(line.target);
  framing.is_http_1_0 = line.is_http_1_0;

  const auto lines = bytes.substr(line_end + 2, bytes.size() - line_end - 4);
  head.fields.reserve(16);
  if (const auto fault = parse_field_lines(lines, max_header_count, head.fields)) return fault;
  if (const auto fault = parse_framing(head.fields, framing)) return fault;
  if (const auto fault = check_target(head)) return fault;
  head.content_length = framing.content_length;
  head.has_body = framing.has_body();
  return std::nullopt;
}

}  // namespace fw::http
