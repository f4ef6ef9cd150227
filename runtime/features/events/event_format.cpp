#include "features/events/event_format.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace fw::detail {
namespace {

constexpr std::string_view kDefaultName = "message";

void require_single_line(std::string_view what, std::string_view text) {
  if (text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos) return;
  throw std::invalid_argument(
      fmt::format("the {} of an event must not contain a line break or NUL", what));
}

void put_line(std::string& out, std::string_view field, std::string_view value) {
  out.append(field).append(": ").append(value) += '\n';
}

void put_data(std::string& out, std::string_view data) {
  while (true) {
    const auto end = data.find_first_of("\r\n");
    put_line(out, "data", data.substr(0, end));
    if (end == std::string_view::npos) return;
    const bool is_pair = data.substr(end).starts_with("\r\n");
    data.remove_prefix(end + (is_pair ? 2 : 1));
  }
}

}  // namespace

std::string format_event(std::string_view name, std::string_view data, const EventFields& fields) {
  require_single_line("name", name);
  if (fields.id) require_single_line("id", *fields.id);
  std::string out;
  constexpr std::size_t kFieldNames = 48;
  out.reserve(name.size() + data.size() + (fields.id ? fields.id->size() : 0) + kFieldNames);
  if (!name.empty() && name != kDefaultName) put_line(out, "event", name);
  if (fields.id) put_line(out, "id", *fields.id);
  if (fields.retry) {
    if (fields.retry->count() < 0) {
      throw std::invalid_argument("the 'retry' of an event must not be negative");
    }
    put_line(out, "retry", std::to_string(fields.retry->count()));
  }
  put_data(out, data);
  return out += '\n';
}

std::string format_retry(std::chrono::milliseconds time) {
  return fmt::format("retry: {}\n\n", time.count());
}

}  // namespace fw::detail
