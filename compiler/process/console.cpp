#include "process/console.hpp"

#include <fmt/format.h>

#include <iostream>

namespace fairway::process {

void Console::say(std::string_view text) {
  // One write: the program writes to the same terminal.
  write(fmt::format("fairway: {}\n", text));
}

void Console::write(std::string_view text) {
  progress_.erase();
  std::cerr << text << std::flush;
}

std::string Console::colored(std::string_view text, Color color) const {
  if (!has_colors_ || color == Color::plain) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", color == Color::red ? 31 : 32, text);
}

std::string seconds_text(std::chrono::duration<double> time) {
  return fmt::format("{:.{}f} s", time.count(), time.count() < 0.1 ? 2 : 1);
}

}  // namespace fairway::process
