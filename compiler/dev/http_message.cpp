#include "dev/http_message.hpp"

#include <charconv>

#include "base/ascii.hpp"
#include "base/parse_number.hpp"

namespace fairway::dev {

std::size_t end_of_head(std::string_view bytes) {
  const auto crlf = bytes.find("\r\n\r\n");
  const auto lf = bytes.find("\n\n");
  if (crlf == bytes.npos && lf == bytes.npos) return bytes.npos;
  return crlf < lf ? crlf + 4 : lf + 2;
}

std::string_view value_of(std::string_view field) {
  const auto colon = std::min(field.find(':'), field.size());
  return fw::base::trim_ows(field.substr(std::min(colon + 1, field.size())));
}

std::optional<std::string_view> find_field(std::string_view head, std::string_view name) {
  std::optional<std::string_view> found;
  for_each_field(head, [&](std::string_view field) {
    if (!found && fw::base::equal_ignoring_case(name_of(field), name)) found = value_of(field);
  });
  return found;
}

RequestLine request_line(std::string_view head) {
  const std::string_view line = head.substr(0, head.find_first_of("\r\n"));
  RequestLine result{.method = line.substr(0, line.find(' ')), .target = {}};
  const auto target = std::min(line.find(' '), line.size());
  const auto end = line.rfind(' ');
  if (end > target && end != line.npos) result.target = line.substr(target + 1, end - target - 1);
  return result;
}

int status_of(std::string_view head) {
  const auto space = std::min(head.find(' '), head.size());
  const std::string_view digits = head.substr(std::min(space + 1, head.size()), 3);
  return fw::base::parse_number<int>(digits).value_or(0);
}

std::string without_chunks(std::string_view body) {
  constexpr int kHex = 16;
  std::string content;
  while (!body.empty()) {
    const auto line_end = body.find('\n');
    if (line_end == body.npos) break;
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(body.data(), body.data() + line_end, size, kHex);
    if (error != std::errc() || size == 0) break;
    body.remove_prefix(line_end + 1);
    content += body.substr(0, size);
    body.remove_prefix(std::min(size, body.size()));
    const auto next = body.find('\n');
    body.remove_prefix(next == body.npos ? body.size() : next + 1);
  }
  return content;
}

}  // namespace fairway::dev
