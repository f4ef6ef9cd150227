// What the commands that serve and test a project write to the terminal.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "diagnostics/progress.hpp"

namespace fairway::process {

enum class Color { plain, red, green };

/// Standard error, with a line of progress that other output erases.
class Console {
 public:
  explicit Console(bool has_colors) : has_colors_(has_colors) {}

  bool has_colors() const { return has_colors_; }
  /// A line that begins with "fairway: ".
  void say(std::string_view text);
  /// The output of another program.
  void write(std::string_view text);
  std::string colored(std::string_view text, Color color) const;

  bool shows_progress() const { return progress_.is_enabled(); }
  void show_progress(const std::string& text) { progress_.show(text); }
  void erase_progress() { progress_.erase(); }

 private:
  bool has_colors_;
  diagnostics::ProgressLine progress_;
};

/// "0.3 s".
std::string seconds_text(std::chrono::duration<double> time);

}  // namespace fairway::process
