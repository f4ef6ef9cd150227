// The parts of an HTTP/1.1 message that `fairway dev` has passed on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fairway::dev {

/// The end of the head in `bytes`, after its empty line; npos if it is not complete.
std::size_t end_of_head(std::string_view bytes);

/// Calls `visit(line)` for each field line of the head, without its end.
template <class Visit>
void for_each_field(std::string_view head, Visit visit) {
  for (std::size_t begin = head.find('\n') + 1; begin < head.size();) {
    const std::size_t end = std::min(head.find('\n', begin), head.size());
    std::string_view line = head.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) visit(line);
    begin = end + 1;
  }
}

inline std::string_view name_of(std::string_view field) { return field.substr(0, field.find(':')); }
/// Without the white space around it.
std::string_view value_of(std::string_view field);

/// The value of the first field with that name.
std::optional<std::string_view> find_field(std::string_view head, std::string_view name);

struct RequestLine {
  std::string_view method;
  std::string_view target;
};
RequestLine request_line(std::string_view head);

/// The status of a response; 0 if the head is malformed.
int status_of(std::string_view head);

/// The content of a body in chunks, or as much of it as has arrived.
std::string without_chunks(std::string_view body);

}  // namespace fairway::dev
