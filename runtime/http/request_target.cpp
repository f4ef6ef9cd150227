#include "http/request_target.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/ascii.hpp"
#include "http/framing.hpp"

namespace fw::http {
namespace {

std::optional<RequestError> reduce_absolute_form(std::string& target, Fields& fields) {
  const auto authority_begin = target.find("://") + 3;
  const auto authority_end = std::min(target.find_first_of("/?", authority_begin), target.size());
  std::string authority = target.substr(authority_begin, authority_end - authority_begin);
  if (!is_authority(authority)) {
    return RequestError{400, "the request target names no host with an optional port"};
  }
  target.erase(0, authority_end);
  if (target.empty() || target.front() == '?') target.insert(target.begin(), '/');
  for (auto& [name, value] : fields) {
    if (!base::equal_ignoring_case(name, "host")) continue;
    value = std::move(authority);
    return std::nullopt;
  }
  fields.emplace_back("Host", std::move(authority));
  return std::nullopt;
}

}  // namespace

bool is_request_target(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return c > 0x20 && c < 0x7F && c != '#'; });
}

std::optional<RequestError> normalize_request_target(RequestHead& head) {
  auto& target = head.target;
  if (target.front() == '/') return std::nullopt;
  if (target == "*" && head.method == "OPTIONS") return std::nullopt;
  const auto scheme = std::string_view(target).substr(0, target.find("://"));
  if (scheme.size() != target.size() &&
      (base::equal_ignoring_case(scheme, "http") || base::equal_ignoring_case(scheme, "https"))) {
    return reduce_absolute_form(target, head.fields);
  }
  return RequestError{400, "the request target is neither a path nor an http address"};
}

}  // namespace fw::http
