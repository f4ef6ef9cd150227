#include "http/field_lines.hpp"

#include <algorithm>
#include <cstdint>

#include "exchange/ascii.hpp"

namespace fw::http {
namespace {

std::optional<Fault> parse_field_line(std::string_view line, Fields& fields) {
  if (line.front() == ' ' || line.front() == '\t') {
    return Fault{400, "a header line begins with a blank: folded header lines are not accepted"};
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return Fault{400, "a header line has no colon"};
  const auto name = line.substr(0, colon);
  if (!detail::is_token(name)) {
    return Fault{400, "a header name is empty or has a character that names cannot have"};
  }
  const auto value = detail::trim_blanks(line.substr(colon + 1));
  if (!is_field_value(value)) return Fault{400, "a header value has a control character"};
  fields.emplace_back(name, value);
  return std::nullopt;
}

}  // namespace

bool is_field_value(std::string_view value) {
  const auto control = [](std::uint64_t word) {
    return schema::mark_below(word, ' ') | schema::mark_equal(word, '\x7F');
  };
  return !schema::any_byte(value, control) || std::none_of(value.begin(), value.end(), [](char c) {
    return detail::is_control(c) && c != '\t';
  });
}

std::optional<Fault> parse_field_lines(std::string_view lines, std::size_t max_count,
                                       Fields& fields) {
  while (!lines.empty()) {
    if (fields.size() == max_count) return Fault{431, "the request has too many headers"};
    const auto end = lines.find("\r\n");
    if (end == std::string_view::npos || end == 0) {
      return Fault{400, "a header line does not end with CR LF"};
    }
    if (const auto fault = parse_field_line(lines.substr(0, end), fields)) return fault;
    lines.remove_prefix(end + 2);
  }
  return std::nullopt;
}

}  // namespace fw::http
