#include "http/request_head.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.hpp"
#include "http/field_lines.hpp"

namespace fw::http {
namespace {

constexpr RequestError kMalformed{
    400, "the request line must be a method, a target and a version, separated by single spaces"};

constexpr RequestError kUnknownMethod{501, "the request method is not known"};

/// The most frequent methods first.
constexpr std::array<std::string_view, 9> kMethods = {
    "GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS", "CONNECT", "TRACE"};

/// The constant for a method; empty for an unknown one.
std::string_view known_method(std::string_view method) {
  const auto found = std::find(kMethods.begin(), kMethods.end(), method);
  return found == kMethods.end() ? std::string_view() : *found;
}

bool is_version(std::string_view text) {
  return text.size() == 8 && text.starts_with("HTTP/") && text[5] >= '0' && text[5] <= '9' &&
         text[6] == '.' && text[7] >= '0' && text[7] <= '9';
}

/// Printable ASCII without spaces and without '#', because a target has no fragment.
constexpr auto kTargetCharacters = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0x21; c < 0x7F; ++c) table[c] = c != '#';
  return table;
}();

bool is_request_target(std::string_view text) {
  for (const char c : text) {
    if (!kTargetCharacters[static_cast<unsigned char>(c)]) return false;
  }
  return !text.empty();
}

std::optional<RequestError> reduce_absolute_form(std::string& target, Fields& fields) {
  const auto authority_begin = target.find("://") + 3;
  const auto authority_end = std::min(target.find_first_of("/?", authority_begin), target.size());
  const std::string authority = target.substr(authority_begin, authority_end - authority_begin);
  if (!is_authority(authority)) {
    return RequestError{400,
                        "the authority of the request target is not a host with an optional port"};
  }
  target.erase(0, authority_end);
  if (target.empty() || target.front() == '?') target.insert(target.begin(), '/');
  if (const auto host = fields.index_of("host"); host < fields.size()) {
    fields.set_value(host, authority);
  } else {
    fields.add("Host", authority);
  }
  return std::nullopt;
}

/// Whether the target begins with a path, or is the asterisk of OPTIONS.
[[gnu::always_inline]] inline bool has_origin_form(const RequestHead& head) {
  return head.target.front() == '/' || (head.target == "*" && head.method == "OPTIONS");
}

/// Converts a target in absolute form to origin form; its authority replaces Host. Rejects other
/// forms except the asterisk of OPTIONS.
[[gnu::always_inline]] inline std::optional<RequestError> normalize_request_target(
    RequestHead& head) {
  if (has_origin_form(head)) return std::nullopt;
  auto& target = head.target;
  const auto scheme = std::string_view(target).substr(0, target.find("://"));
  if (scheme.size() != target.size() &&
      (base::equal_ignoring_case(scheme, "http") || base::equal_ignoring_case(scheme, "https"))) {
    return reduce_absolute_form(target, head.fields);
  }
  return RequestError{400, "the request target is neither a path nor an http address"};
}

}  // namespace

std::optional<RequestError> parse_request_line(std::string_view line, RequestLine& result) {
  const auto method_end = line.find(' ');
  if (method_end == std::string_view::npos) return kMalformed;
  const auto target_end = line.find(' ', method_end + 1);
  if (target_end == std::string_view::npos) return kMalformed;
  result.method = line.substr(0, method_end);
  result.target = line.substr(method_end + 1, target_end - method_end - 1);
  const auto version = line.substr(target_end + 1);
  const std::string_view known = known_method(result.method);
  const bool is_method = !known.empty() || base::is_token(result.method);
  if (!is_method || !is_request_target(result.target)) return kMalformed;
  const bool is_http_1_1 = version == "HTTP/1.1";
  result.is_http_1_0 = !is_http_1_1 && version == "HTTP/1.0";
  if (!is_http_1_1 && !result.is_http_1_0) {
    // The version has the same allowed characters as a target.
    if (!is_request_target(version)) return kMalformed;
    if (!is_version(version)) {
      return RequestError{400, "the request line does not end with an HTTP version"};
    }
    return RequestError{505, "the HTTP version is not supported: use HTTP/1.1"};
  }
  result.method = known;
  if (known.empty()) return kUnknownMethod;
  return std::nullopt;
}

std::optional<RequestError> set_method_and_target(std::string_view method, std::string_view target,
                                                  RequestHead& head) {
  // As a line, so that the compiler inlines the parts of the parser, which have one caller.
  const std::string text = std::string(method).append(" ").append(target).append(" HTTP/1.1");
  RequestLine line;
  if (const auto error = parse_request_line(text, line)) return error;
  head.method = line.method;
  head.target = line.target;
  if (has_origin_form(head)) return std::nullopt;
  return RequestError{400, "the request target is not a path"};
}

std::optional<RequestError> parse_request_head(std::string_view bytes, std::size_t max_header_count,
                                               RequestHead& head, Framing& framing) {
  const auto line_end = bytes.find("\r\n");
  RequestLine line;
  if (const auto error = parse_request_line(bytes.substr(0, line_end), line)) return error;
  head.method = line.method;
  head.target = line.target;
  framing.is_http_1_0 = line.is_http_1_0;

  const auto lines = bytes.substr(line_end + 2, bytes.size() - line_end - 4);
  if (const auto error = parse_field_lines(lines, max_header_count, head.fields)) return error;
  if (const auto error = parse_framing(head.fields, framing)) return error;
  if (const auto error = normalize_request_target(head)) return error;
  head.content_length = framing.content_length;
  head.has_body = framing.has_body();
  return std::nullopt;
}

}  // namespace fw::http
