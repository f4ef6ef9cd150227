#include "errors/messages.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "base/json_text.hpp"
#include "base/reason_phrases.hpp"
#include "settings/settings_file.hpp"

namespace fw::detail {

std::string fill_template(std::string_view text, const Json& params) {
  std::string result;
  result.reserve(text.size());
  while (const auto found = find_placeholder(text)) {
    const auto begin = static_cast<std::size_t>(found->text.data() - text.data());
    result += text.substr(0, begin);
    const auto value = params.is_object() ? params.find(found->name) : params.end();
    if (value == params.end()) {
      result += found->text;
    } else if (value->is_string()) {
      result += value->get_ref<const std::string&>();
    } else {
      result += base::to_json_text(*value);
    }
    text.remove_prefix(begin + found->text.size());
  }
  result += text;
  return result;
}

std::string_view default_message(int status) {
  switch (status) {
    case 400:
    case 401:
    case 403:
    case 404:
      return base::reason_phrase(status);
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
