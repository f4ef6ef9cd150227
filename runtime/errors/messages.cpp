#include "errors/messages.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

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

std::string_view status_name(int status) {
  switch (status) {
    case 413:  // "Content Too Large" in RFC 9110
      return "Payload Too Large";
    case 499:  // not registered
      return "Client Closed Request";
    default:
      return base::reason_phrase(status);
  }
}

HttpError status_error(int status, std::string_view detail) {
  std::string message(status_name(status));
  if (!detail.empty()) message.append(": ").append(detail);
  return {status, std::move(message)};
}

std::string_view default_message(int status) {
  switch (status) {
    case 400:
    case 401:
    case 403:
    case 404:
      return status_name(status);
    case 422:
      return "Validation Failed";
    default:
      return status < 500 ? "Request Failed" : status_name(500);
  }
}

void report_startup_errors(const std::vector<std::string>& errors) {
  for (const std::string& error : errors) {
    fmt::print(stderr, "{}: error: {}\n", program_invocation_short_name, error);
  }
}

}  // namespace fw::detail
