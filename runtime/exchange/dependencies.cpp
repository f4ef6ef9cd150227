#include "exchange/dependencies.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kCookie = "cookie";

}  // namespace

bool is_private_part(RequestPart part, std::string_view name) {
  switch (part) {
    case RequestPart::cookie:
    case RequestPart::cookies:
    case RequestPart::headers:
    case RequestPart::address:
    case RequestPart::certificate:
    case RequestPart::session:
    case RequestPart::identity:
    case RequestPart::http_version:
      return true;
    case RequestPart::header:
      return base::equal_ignoring_case(name, kCookie) ||
             base::equal_ignoring_case(name, "authorization");
    default:
      return false;
  }
}

std::string Dependency::describe() const {
  switch (part) {
    case RequestPart::header:
      return fmt::format("the header field '{}'", name);
    case RequestPart::headers:
      return "all header fields";
    case RequestPart::cookie:
      return fmt::format("the cookie '{}'", name);
    case RequestPart::cookies:
      return "all cookies";
    case RequestPart::address:
      return "the address of the client";
    case RequestPart::certificate:
      return "the certificate of the client";
    case RequestPart::session:
      return "the session";
    case RequestPart::identity:
      return "the identity of the client";
    case RequestPart::language:
      return "the language of the client";
    case RequestPart::request_id:
      return "the request id";
    case RequestPart::http_version:
      return "the version of HTTP";
    case RequestPart::query:
      return fmt::format("the query parameter '{}'", name);
    case RequestPart::queries:
      return "all query parameters";
    case RequestPart::parameter:
      return fmt::format("the path parameter '{}'", name);
    case RequestPart::path:
      return "the path as sent";
    case RequestPart::body:
      break;
  }
  return "the request body";
}

void Dependencies::add(RequestPart part, std::string_view name) {
  Dependency dependency{part,
                        part == RequestPart::header ? base::lower_case(name) : std::string(name)};
  if (std::find(all_.begin(), all_.end(), dependency) == all_.end()) {
    all_.push_back(std::move(dependency));
  }
}

void Dependencies::add(const Dependencies& others) {
  for (const auto& [part, name] : others.all_) add(part, name);
}

bool Dependencies::has(RequestPart part, std::string_view name) const {
  return std::any_of(all_.begin(), all_.end(), [&](const Dependency& each) {
    return each.part == part && each.name == name;
  });
}

bool Dependencies::covers(const Dependency& dependency) const {
  if (has(dependency.part, dependency.name)) return true;
  switch (dependency.part) {
    case RequestPart::header:
      return has(RequestPart::headers) || (dependency.name == kCookie && has(RequestPart::cookies));
    case RequestPart::cookie:
    case RequestPart::cookies:
      return has(RequestPart::cookies) || has(RequestPart::header, kCookie) ||
             has(RequestPart::headers);
    case RequestPart::query:
      return has(RequestPart::queries);
    case RequestPart::parameter:
      return has(RequestPart::path);
    default:
      return false;
  }
}

}  // namespace fw::detail
