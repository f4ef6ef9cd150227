#include "dev/request_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/ascii.hpp"
#include "dev/overlay.hpp"

namespace fairway::dev {
namespace {

constexpr std::string_view kFile = "requests.html";
constexpr std::string_view kRows = "/rows?after=";
constexpr std::string_view kAgain = "/again";

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Reply error(int status, std::string_view message) {
  return {status, "application/json; charset=utf-8",
          fmt::format(R"({{"code":{},"message":"{}"}})", status, message)};
}

Reply json_reply(const RequestLog::Json& content) {
  return {200, "application/json; charset=utf-8",
          content.dump(-1, ' ', false, RequestLog::Json::error_handler_t::replace)};
}

}  // namespace

bool RequestPages::owns(std::string_view target) const {
  if (!target.starts_with(kPath)) return false;
  const std::string_view rest = target.substr(kPath.size());
  return rest.empty() || rest.front() == '/' || rest.front() == '?';
}

/// A page of another site must not read it by a name of its own that it lets browsers resolve to
/// this machine.
bool RequestPages::is_own_host(std::string_view host) const {
  const bool is_ipv4 = host.find_first_not_of("0123456789.") == host.npos;
  return host == "localhost" || host == "[::1]" || (is_ipv4 && host.starts_with("127.")) ||
         fw::base::equal_ignoring_case(host, host_);
}

Decision RequestPages::respond(const ProxyRequest& request,
                               std::optional<std::uint16_t> port) const {
  if (!request.is_local)
    return error(403, "the requests are only shown to clients on this machine");
  if (!is_own_host(request.host)) return error(421, "the host must be localhost or an address");
  std::string_view rest = std::string_view(request.target).substr(kPath.size());
  const bool is_read = request.method == "GET" || request.method == "HEAD";
  if (is_read && (rest.empty() || rest.front() == '?')) {
    return Reply{200, "text/html; charset=utf-8", std::string(embedded_page(kFile))};
  }
  if (is_read && rest.starts_with(kRows)) return rows(request);
  if (!rest.starts_with('/')) return error(404, "not found");
  rest.remove_prefix(1);
  const bool is_again = rest.ends_with(kAgain);
  if (is_again) rest.remove_suffix(kAgain.size());
  const RequestLog::Id id = number_of(rest).value_or(0);
  if (!is_again) {
    const auto detail = log_.detail(id);
    if (!is_read || !detail) return error(404, "the request is not known any more");
    return json_reply(*detail);
  }
  if (request.method != "POST" || !request.is_from_page) {
    return error(403, "only the page of requests sends one again");
  }
  auto bytes = log_.bytes(id);
  if (!bytes) return error(404, "the request is not completely known any more");
  if (!port) return error(503, "the application does not run");
  return Forward{.port = *port, .other_request = std::move(*bytes)};
}

Decision RequestPages::rows(const ProxyRequest& request) const {
  const std::string_view known =
      std::string_view(request.target).substr(kPath.size() + kRows.size());
  const auto after = number_of(known).value_or(0);
  if (after == log_.version() && !request.has_waited) return Wait{};
  return json_reply(log_.rows_since(after));
}

}  // namespace fairway::dev
