#include "http/field_lines.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/ascii.hpp"
#include "base/word_scan.hpp"

namespace fw::http {
namespace {

constexpr bool is_ows(char c) { return c == ' ' || c == '\t'; }

/// A control character other than a tab.
constexpr bool ends_value(char c) { return base::is_control(c) && c != '\t'; }

/// The marks of control characters, including tabs.
template <class Word>
constexpr Word mark_controls(Word word) {
  return base::mark_below(word, ' ') | base::mark_equal(word, '\x7F');
}

/// The end of a value. There must be one, with `Fields::kZeros` bytes after it.
const char* find_value_end(const char* at) {
  while (true) {
    if constexpr (std::endian::native == std::endian::little) {
      std::uint64_t word = 0;
      static_assert(sizeof word <= Fields::kZeros);
      std::memcpy(&word, at, sizeof word);
      const std::uint64_t marks = mark_controls(word);
      if (marks == 0) {
        at += sizeof word;
        continue;
      }
      at += std::countr_zero(marks) / 8;
    }
    if (ends_value(*at)) return at;
    ++at;
  }
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
  return !base::any_byte(value, [](auto word) { return mark_controls(word); }) ||
         std::none_of(value.begin(), value.end(), ends_value);
}

bool is_valid_field(std::string_view name, std::string_view value) {
  return base::is_token(name) && is_field_value(value);
}

std::optional<RequestError> parse_field_lines(std::string_view received, std::size_t max_count,
                                              Fields& fields) {
  const std::string_view lines = fields.append_received(received);
  const char* const end = lines.data() + lines.size();
  // The zero bytes at the end are no part of a name, of a value or of a line end.
  std::size_t count = fields.size();
  for (const char* line = lines.data(); line != end;) {
    if (count++ == max_count) return RequestError{431, "the request has too many headers"};
    const char* colon = line;
    while (base::is_token_character(*colon)) ++colon;
    if (colon == line || *colon != ':') return error_of({line, end});
    const char* value = colon + 1;
    while (is_ows(*value)) ++value;
    const char* const line_end = find_value_end(value);
    if (line_end[0] != '\r' || line_end[1] != '\n') return error_of({line, end});
    const char* value_end = line_end;
    while (value_end != value && is_ows(value_end[-1])) --value_end;
    fields.add_received({line, colon}, {value, value_end});
    line = line_end + 2;
  }
  return std::nullopt;
}

}  // namespace fw::http
