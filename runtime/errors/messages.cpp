#include "errors/messages.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>

#include "base/json_text.hpp"

namespace fw::detail {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::string fill_template(std::string_view text, const Json& params) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto open = text.find("{{");
    const auto close = open == std::string_view::npos ? open : text.find("}}", open);
    if (close == std::string_view::npos) break;
    result += text.substr(0, open);
    const std::string_view name = trimmed(text.substr(open + 2, close - open - 2));
    const auto value = params.is_object() ? params.find(name) : params.end();
    if (value == params.end()) {
      result += text.substr(open, close + 2 - open);
    } else if (value->is_string()) {
      result += value->get_ref<const std::string&>();
    } else {
      result += base::to_json_text(*value);
    }
    text.remove_prefix(close + 2);
  }
  result += text;
  return result;
}

std::string_view default_message(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 422:
      return "Validation Failed";
    default:
      return status < 500 ? "Request Failed" : "Internal Server Error";
  }
}

void report_startup_errors(const std::vector<std::string>& errors) {
  for (const std::string& error : errors) {
    fmt::print(stderr, "{}: error: {}\n", program_invocation_short_name, error);
  }
}

}  // namespace fw::detail
