#include "http/field_lines.hpp"

#include <algorithm>
#include <cstdint>

#include "base/ascii.hpp"

namespace fw::http {
namespace {

std::optional<RequestError> parse_field_line(std::string_view line, Fields& fields) {
  if (line.front() == ' ' || line.front() == '\t') {
    return RequestError{
        400, "a header line begins with whitespace: folded header lines are not accepted"};
  }
  std::size_t colon = 0;
  while (colon < line.size() && base::is_token_character(line[colon])) ++colon;
  if (colon == 0 || colon == line.size() || line[colon] != ':') {
    if (line.find(':') == std::string_view::npos) {
      return RequestError{400, "a header line has no colon"};
    }
    return RequestError{400, "a header name is empty or contains an invalid character"};
  }
  const auto name = line.substr(0, colon);
  const auto value = base::trim_ows(line.substr(colon + 1));
  if (!is_field_value(value))
    return RequestError{400, "a header value contains a control character"};
  fields.add(name, value);
  return std::nullopt;
}

}  // namespace

bool is_field_value(std::string_view value) {
  const auto control = [](std::uint64_t word) {
    return base::mark_below(word, ' ') | base::mark_equal(word, '\x7F');
  };
  return !base::any_byte(value, control) || std::none_of(value.begin(), value.end(), [](char c) {
    return base::is_control(c) && c != '\t';
  });
}

bool is_valid_field(std::string_view name, std::string_view value) {
  return base::is_token(name) && is_field_value(value);
}

std::optional<RequestError> parse_field_lines(std::string_view lines, std::size_t max_count,
                                              Fields& fields) {
  while (!lines.empty()) {
    if (fields.size() == max_count) return RequestError{431, "the request has too many headers"};
    const auto end = lines.find("\r\n");
    if (end == std::string_view::npos || end == 0) {
      return RequestError{400, "a header line does not end with CR LF"};
    }
    if (const auto error = parse_field_line(lines.substr(0, end), fields)) return error;
    lines.remove_prefix(end + 2);
  }
  return std::nullopt;
}

}  // namespace fw::http
