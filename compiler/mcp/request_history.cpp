#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "contract_test/http_client.hpp"
#include "mcp/request_sender.hpp"
#include "mcp/tools.hpp"

namespace fairway::mcp {
namespace {

constexpr std::string_view kPage = "/.fairway/dev/requests";
/// It waits for changes after a known version. No version is as high, so all rows are new.
constexpr std::string_view kRows = "/rows?after=18446744073709551615";
constexpr std::size_t kMaxPage = std::size_t{16} * 1024 * 1024;
constexpr std::size_t kMaxTarget = 500;  ///< bytes that are shown
constexpr std::uint64_t kDefaultLimit = 20;

bool has_failed(const Json& row) {
  const Json& status = row.at("status");
  const bool is_running = status.is_null() && row.at("duration").is_null();
  return !is_running && (status.is_null() || status >= 400);
}

bool contains(const Json& value, const std::string& text) {
  return value.is_string() && value.get_ref<const std::string&>().find(text) != std::string::npos;
}

bool is_selected(const Json& row, const Json& arguments) {
  if (arguments.value("errors", false) && !has_failed(row)) return false;
  if (const std::string text = arguments.value("route", ""); !text.empty()) {
    if (!contains(row.at("route"), text) && !contains(row.at("target"), text)) return false;
  }
  const std::string trace = arguments.value("trace", "");
  return trace.empty() || row.at("trace") == trace;
}

}  // namespace

Json selected_requests(const Json& rows, const Json& arguments) {
  const auto limit = arguments.value("limit", kDefaultLimit);
  std::size_t total = 0;
  Json selected = Json::array();
  const Json& all = rows.at("requests");
  for (auto each = all.rbegin(); each != all.rend(); ++each) {
    const Json& row = *each;
    if (!is_selected(row, arguments)) continue;
    if (++total > limit) continue;
    Json& shown = selected.emplace_back(row);
    auto& target = shown.at("target").get_ref<std::string&>();
    if (target.size() > kMaxTarget) target.resize(kMaxTarget);
  }
  return {{"total", total}, {"requests", std::move(selected)}};
}

Json read_history(const std::string& base_url, std::string_view tool, const Json& arguments) {
  const bool is_list = tool == "requests";
  const std::string part =
      is_list ? std::string(kRows) : fmt::format("/{}", arguments.at("id").get<std::uint64_t>());
  contract_test::HttpClient client(base_url, kMaxPage);
  const contract_test::Response response =
      client.send({.method = "GET", .target = fmt::format("{}{}", kPage, part)});
  Json content = Json::parse(response.body, nullptr, false);
  if (response.status != 200 || !content.is_object()) {
    const bool is_page = content.is_object() && content.contains("message");
    if (!is_list && is_page && response.status == 404) {
      return error_result("'fairway dev' does not know this request any more");
    }
    return error_result(
        fmt::format("there is no page of requests at {} (status {}): only 'fairway dev' has it, so "
                    "'--url' must "
                    "be what it serves",
                    base_url, response.status));
  }
  return result_of(is_list ? selected_requests(content, arguments) : std::move(content));
}

}  // namespace fairway::mcp
