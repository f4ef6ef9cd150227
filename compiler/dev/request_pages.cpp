#include "dev/request_pages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "base/parse_number.hpp"
#include "base/url_encoding.hpp"
#include "dev/overlay.hpp"

namespace fairway::dev {
namespace {

constexpr std::string_view kFile = "requests.html";
constexpr std::string_view kRows = "/rows?";
constexpr std::string_view kAgain = "/again";

/// A parameter of a query; nothing if it is absent or no number.
std::optional<std::uint64_t> number_in(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('='))
      return fw::base::parse_number<std::uint64_t>(pair.substr(name.size() + 1));
  }
  return std::nullopt;
}

Reply json_reply(const RequestLog::Json& content) {
  return {200, "application/json; charset=utf-8",
          content.dump(-1, ' ', false, RequestLog::Json::error_handler_t::replace)};
}

}  // namespace

std::string editor_url(std::string_view pattern, const std::filesystem::path& file,
                       std::int64_t line) {
  const std::string path = fw::base::percent_encode(file.string(), "/-._~");
  return fmt::format(fmt::runtime(pattern), fmt::arg("file", path), fmt::arg("line", line));
}

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

Decision RequestPages::respond(const ProxyRequest& request, const ProjectView& project) const {
  if (!request.is_local)
    return error_reply(403, "the requests are only shown to clients on this machine");
  if (!is_own_host(request.host))
    return error_reply(421, "the host must be localhost or an address");
  std::string_view rest = std::string_view(request.target).substr(kPath.size());
  const bool is_read = request.method == "GET" || request.method == "HEAD";
  if (is_read && (rest.empty() || rest.front() == '?')) {
    return Reply{200, "text/html; charset=utf-8", std::string(embedded_page(kFile))};
  }
  if (is_read && rest.starts_with(kRows)) return rows(request, project);
  if (!rest.starts_with('/')) return error_reply(404, "not found");
  rest.remove_prefix(1);
  const bool is_again = rest.ends_with(kAgain);
  if (is_again) rest.remove_suffix(kAgain.size());
  const RequestLog::Id id = fw::base::parse_number<std::uint64_t>(rest).value_or(0);
  if (!is_again) {
    auto detail = log_.detail(id);
    if (!is_read || !detail) return error_reply(404, "the request is not known any more");
    (*detail)["source"] = source(id, project);
    return json_reply(*detail);
  }
  if (request.method != "POST" || !request.is_from_page) {
    return error_reply(403, "only the page of requests sends one again");
  }
  auto bytes = log_.bytes(id);
  if (!bytes) return error_reply(404, "the request is not completely known any more");
  if (!project.port) return error_reply(503, "the application does not run");
  return Forward{.port = *project.port, .other_request = std::move(*bytes)};
}

Decision RequestPages::rows(const ProxyRequest& request, const ProjectView& project) const {
  const std::string_view query =
      std::string_view(request.target).substr(kPath.size() + kRows.size());
  const auto after = number_in(query, "after").value_or(0);
  const bool knows_build = number_in(query, "build").value_or(project.version) == project.version;
  if (after == log_.version() && knows_build && !request.has_waited) return Wait{};
  RequestLog::Json news = log_.rows_since(after);
  news["build"] = {{"version", project.version}, {"failure", project.failure}};
  news["docs"] = project.docs_path;
  return json_reply(news);
}

RequestLog::Json RequestPages::source(RequestLog::Id id, const ProjectView& project) const {
  const RequestLog::Source source = log_.source(id);
  if (source.file.empty()) return nullptr;
  RequestLog::Json result = {{"file", source.file}, {"line", source.line}, {"url", ""}};
  for (const std::filesystem::path& folder : project.source_dirs) {
    const std::filesystem::path file = folder.parent_path() / source.file;
    std::error_code error;
    if (!std::filesystem::exists(file, error)) continue;
    result["url"] = editor_url(project.editor, file, source.line);
    break;
  }
  return result;
}

}  // namespace fairway::dev
