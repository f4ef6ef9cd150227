#include "http/field_lines.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/ascii.hpp"

namespace fw::http {
namespace {

constexpr bool is_ows(char c) { return c == ' ' || c == '\t'; }

/// The first control character other than a tab; `end` if there is none.
const char* find_control(const char* at, const char* end) {
  while (at != end) {
    std::uint64_t word = 0;
    if (std::endian::native == std::endian::little &&
        static_cast<std::size_t>(end - at) >= sizeof word) {
      std::memcpy(&word, at, sizeof word);
      const std::uint64_t marks = base::mark_below(word, ' ') | base::mark_equal(word, '\x7F');
      if (marks == 0) {
        at += sizeof word;
        continue;
      }
      at += std::countr_zero(marks) / 8;
    }
    if (base::is_control(*at) && *at != '\t') return at;
    ++at;
  }
  return end;
}

/// The error of the first of these lines, which is invalid.
RequestError error_of(std::string_view lines) {
  const auto end = lines.find("\r\n");
  if (end == std::string_view::npos || end == 0) {
    return {400, "a header line does not end with CR LF"};
  }
  const auto line = lines.substr(0, end);
  if (is_ows(line.front())) {
    return {400, "a header line begins with whitespace: folded header lines are not accepted"};
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return {400, "a header line has no colon"};
  if (!base::is_token(line.substr(0, colon))) {
    return {400, "a header name is empty or contains an invalid character"};
  }
  return {400, "a header value contains a control character"};
}

}  // namespace

bool is_field_value(std::string_view value) {
  const char* const end = value.data() + value.size();
  return find_control(value.data(), end) == end;
}

bool is_valid_field(std::string_view name, std::string_view value) {
  return base::is_token(name) && is_field_value(value);
}

std::optional<RequestError> parse_field_lines(std::string_view lines, std::size_t max_count,
                                              Fields& fields) {
  fields.append_received(lines);
  const char* const end = lines.data() + lines.size();
  for (const char* line = lines.data(); line != end;) {
    if (fields.size() == max_count) return RequestError{431, "the request has too many headers"};
    const char* colon = line;
    while (colon != end && base::is_token_character(*colon)) ++colon;
    if (colon == line || colon == end || *colon != ':') return error_of({line, end});
    const char* value = colon + 1;
    while (value != end && is_ows(*value)) ++value;
    const char* const line_end = find_control(value, end);
    if (end - line_end < 2 || line_end[0] != '\r' || line_end[1] != '\n') {
      return error_of({line, end});
    }
    const char* value_end = line_end;
    while (value_end != value && is_ows(value_end[-1])) --value_end;
    fields.add_received(lines, {line, colon}, {value, value_end});
    line = line_end + 2;
  }
  return std::nullopt;
}

}  // namespace fw::http
