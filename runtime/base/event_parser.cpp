#include "base/event_parser.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/ascii.hpp"
#include "base/parse_number.hpp"

namespace fw::base {

std::vector<ParsedEvent> EventParser::feed(std::string_view bytes) {
  std::vector<ParsedEvent> events;
  while (!bytes.empty()) {
    // A CR ends a line, even if an LF follows.
    if (std::exchange(has_ended_by_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const auto end = bytes.find_first_of("\r\n");
    rest_ += bytes.substr(0, end);
    if (end == std::string_view::npos) break;
    has_ended_by_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (auto event = take_line(std::exchange(rest_, {}))) events.push_back(*std::move(event));
  }
  return events;
}

std::optional<ParsedEvent> EventParser::take_line(std::string line) {
  if (are_lines_) {
    if (line.empty()) return std::nullopt;
    return ParsedEvent{.name = {}, .data = std::move(line)};
  }
  if (!line.empty()) {
    take_field(line);
    return std::nullopt;
  }
  const std::string name = std::exchange(name_, {});
  if (!std::exchange(has_data_, false)) return std::nullopt;
  return ParsedEvent{.name = name.empty() ? "message" : name,
                     .data = std::exchange(data_, {}),
                     .id = id_,
                     .retry = retry_};
}

void EventParser::take_field(std::string_view line) {
  const auto colon = std::min(line.find(':'), line.size());
  const std::string_view field = line.substr(0, colon);
  std::string_view value = line.substr(std::min(colon + 1, line.size()));
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "event") {
    name_ = value;
  } else if (field == "data") {
    if (std::exchange(has_data_, true)) data_ += '\n';
    data_ += value;
  } else if (field == "id") {
    if (value.find('\0') == std::string_view::npos) id_ = value;
  } else if (field == "retry" && std::ranges::all_of(value, is_digit)) {
    retry_ = std::chrono::milliseconds(parse_number<std::int64_t>(value).value_or(0));
  }
}

}  // namespace fw::base
