#include "dev/build_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <ranges>
#include <utility>

#include "base/counted.hpp"

namespace fairway::dev {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// The digits at the start of `text`, which are removed with the blanks before them.
std::optional<unsigned> take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

struct BuildStep {
  unsigned done = 0;
  std::optional<unsigned> total;
};

/// "[3/14] Building …" of Ninja, "[ 50%] Building …" of Make.
std::optional<BuildStep> step_of(std::string_view line) {
  if (!line.starts_with('[')) return std::nullopt;
  line.remove_prefix(1);
  const auto done = take_number(line);
  if (!done) return std::nullopt;
  if (line.starts_with("%]")) return BuildStep{*done, std::nullopt};
  if (!line.starts_with('/')) return std::nullopt;
  line.remove_prefix(1);
  const auto total = take_number(line);
  if (!total || !line.starts_with(']')) return std::nullopt;
  return BuildStep{*done, total};
}

bool is_of_build_tool(std::string_view line) {
  constexpr std::array<std::string_view, 7> kBeginnings = {
      "ninja: ", "make: ", "gmake: ", "make[", "gmake[", "-- ", "Consolidate compiler generated"};
  return step_of(line) || std::ranges::any_of(kBeginnings, [line](std::string_view beginning) {
           return line.starts_with(beginning);
         });
}

/// "/usr/include/c++/12/string:121:5: note: candidate: …". Notes in Fairway's headers say what the
/// options of a route may be.
bool is_note_in_system_header(std::string_view line) {
  const auto note = line.find(": note: ");
  return note != line.npos && line.starts_with("/usr/") &&
         !contains(line.substr(0, note), "/fairway/");
}

}  // namespace

std::string without_colors(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto escape = std::min(text.find('\x1b'), text.size());
    result += text.substr(0, escape);
    text.remove_prefix(escape);
    if (text.empty()) break;
    // ESC [ parameters letter
    std::size_t end = 1;
    if (end < text.size() && text[end] == '[') {
      ++end;
      while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) == 0) ++end;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

void BuildOutput::add(std::string_view text, Clock::time_point now) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    partial_line_ += text.substr(0, end);
    if (end == text.npos) return;
    add_line(std::move(partial_line_), now);
    partial_line_.clear();
    text.remove_prefix(end + 1);
  }
}

void BuildOutput::end(Clock::time_point now) {
  if (!partial_line_.empty()) add_line(std::move(partial_line_), now);
  end_phase("compile", now);
}

void BuildOutput::add_line(std::string line, Clock::time_point now) {
  if (contains(line, "-- Build files have been written to")) end_phase("configure", now);
  if (contains(line, "Checking the routes of")) end_phase("routes", now);
  const auto step = step_of(without_colors(line));
  if (step && step->total) progress_ = {step->done, *step->total};
  lines_.push_back(std::move(line));
}

/// Several applications add to one phase.
void BuildOutput::end_phase(std::string_view name, Clock::time_point now) {
  const auto time = now - last_;
  last_ = now;
  const auto phase = std::ranges::find(phases_, name, &Phase::name);
  if (phase == phases_.end()) {
    phases_.push_back({name, time});
  } else {
    phase->time += time;
  }
}

std::vector<BuildOutput::Phase> BuildOutput::phases() const { return phases_; }

std::string BuildOutput::diagnostics() const {
  std::string text;
  bool is_command = false;
  std::size_t folded = 0;
  const auto end_fold = [&] {
    if (folded > 0)
      text += fmt::format("({} in system headers)\n", fw::base::counted(folded, "note"));
    folded = 0;
  };
  for (const std::string& line : lines_) {
    const std::string plain = without_colors(line);
    // Ninja shows the command that failed in the next line.
    if (std::exchange(is_command, plain.starts_with("FAILED: "))) continue;
    if (is_command || is_of_build_tool(plain)) continue;
    if (is_note_in_system_header(plain)) {
      ++folded;
      continue;
    }
    if (folded > 0 && plain.starts_with(' ')) continue;  // of the note
    end_fold();
    if (text.empty() && plain.empty()) continue;
    text += line + '\n';
  }
  end_fold();
  return text;
}

}  // namespace fairway::dev
