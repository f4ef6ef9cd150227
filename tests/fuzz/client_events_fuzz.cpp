// Event streams that a generated client reads in parts of any size, against a plain reading of the
// whole text by the rules of the HTML standard.
#include <fairway_client_support.hpp>

#include "fuzz.hpp"

namespace {

namespace detail = fairway_client::detail;

struct Read {
  std::vector<std::string> events;
  std::string last_event_id;
  std::optional<std::chrono::milliseconds> retry;
  friend bool operator==(const Read&, const Read&) = default;
};

std::string text_of(const std::string& name, const std::string& data, const std::string& id) {
  return name + '\x1f' + data + '\x1f' + id;
}

Read in_parts(std::string_view text, std::size_t size) {
  detail::EventParser parser;
  Read read;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, size);
    text.remove_prefix(part.size());
    parser.push(part, [&](const detail::SentEvent& event) {
      read.events.push_back(text_of(event.name, event.data, event.id));
      return true;
    });
  }
  read.last_event_id = parser.last_event_id();
  read.retry = parser.retry();
  return read;
}

std::vector<std::string> complete_lines(std::string_view text) {
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && text.substr(i).starts_with("\r\n")) continue;
    if (text[i] == '\r' || text[i] == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += text[i];
    }
  }
  lines.pop_back();
  return lines;
}

Read plainly(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  Read read;
  std::string name;
  std::string id;
  std::optional<std::string> data;
  for (const std::string& line : complete_lines(text)) {
    if (line.empty()) {
      read.last_event_id = id;
      if (data) read.events.push_back(text_of(name.empty() ? "message" : name, *data, id));
      name.clear();
      data.reset();
      continue;
    }
    const std::size_t colon = line.find(':');
    const std::string field = line.substr(0, colon);
    std::string value = colon == line.npos ? "" : line.substr(colon + 1);
    if (value.starts_with(' ')) value.erase(0, 1);
    if (field == "event") name = value;
    if (field == "data") data = data ? *data + '\n' + value : value;
    if (field == "id" && value.find('\0') == value.npos) id = value;
    const bool is_number =
        !value.empty() && value.find_first_not_of("0123456789") == value.npos && value.size() < 16;
    if (field == "retry" && is_number) read.retry = std::chrono::milliseconds(std::stoll(value));
  }
  return read;
}

/// The plain reading leaves out numbers of more digits.
bool has_long_number(std::string_view text) {
  std::size_t digits = 0;
  for (const char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 15) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || has_long_number(fuzz::text_of(data, size))) return 0;
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  const Read expected = plainly(text);
  fuzz::require(in_parts(text, std::max<std::size_t>(data[0], 1)) == expected);
  fuzz::require(in_parts(text, std::max<std::size_t>(text.size(), 1)) == expected);
  return 0;
}
