#include "http/request_line.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "http/request_target.hpp"

namespace fw::http {
namespace {

constexpr RequestError kMalformed{
    400, "the request line is not a method, a target and a version, one space between"};

/// The usual ones first.
constexpr std::array<std::string_view, 9> kMethods = {
    "GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS", "CONNECT", "TRACE"};

bool is_known_method(std::string_view method) {
  return std::find(kMethods.begin(), kMethods.end(), method) != kMethods.end();
}

bool is_version(std::string_view text) {
  return text.size() == 8 && text.starts_with("HTTP/") && text[5] >= '0' && text[5] <= '9' &&
         text[6] == '.' && text[7] >= '0' && text[7] <= '9';
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
  result.is_http_1_0 = version == "HTTP/1.0";
  // A version is no target, but what a target cannot have does not belong there either.
  if (!base::is_token(result.method) || !is_request_target(result.target) ||
      !is_request_target(version)) {
    return kMalformed;
  }
  if (!is_version(version))
    return RequestError{400, "the request line does not end with an HTTP version"};
  if (version != "HTTP/1.1" && !result.is_http_1_0) {
    return RequestError{505, "the HTTP version is not supported: use HTTP/1.1"};
  }
  if (!is_known_method(result.method)) return RequestError{501, "the request method is not known"};
  return std::nullopt;
}

}  // namespace fw::http
