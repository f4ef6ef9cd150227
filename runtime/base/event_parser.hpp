// Reads streams of events and of lines.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fw::base {

struct ParsedEvent {
  std::string name;  ///< "message" if it has none; empty for a line
  std::string data;
  std::string id = {};  ///< of this event, or of the last one that had an id
  std::optional<std::chrono::milliseconds> retry = {};  ///< the last one that was sent
};

/// Splits a stream into events (WHATWG HTML, 9.2.6), or into lines, without empty ones.
class EventParser {
 public:
  explicit EventParser(bool are_lines) : are_lines_(are_lines) {}

  /// The events that these bytes complete.
  std::vector<ParsedEvent> feed(std::string_view bytes);

 private:
  std::optional<ParsedEvent> take_line(std::string line);
  void take_field(std::string_view line);

  const bool are_lines_;
  std::string rest_;  ///< of a line
  bool has_ended_by_cr_ = false;
  std::string name_;
  std::string id_;  ///< of the last event that had one
  std::optional<std::chrono::milliseconds> retry_;
  std::string data_;
  bool has_data_ = false;
};

}  // namespace fw::base
