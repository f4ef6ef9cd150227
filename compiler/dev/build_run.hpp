// One run of the build: its time by phase, and of its output what is worth reading.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::dev {

/// Takes the output of CMake, Ninja or Make as it comes.
class BuildOutput {
 public:
  using Clock = std::chrono::steady_clock;

  explicit BuildOutput(Clock::time_point start) : last_(start) {}

  void add(std::string_view text, Clock::time_point now);
  void end(Clock::time_point now);
  /// Forgets the output so far, of a step that has succeeded.
  void discard() { lines_.clear(); }

  struct Phase {
    std::string_view name;
    std::chrono::duration<double> time;
  };
  /// The steps that took place, in order: "configure", "routes", "compile".
  std::vector<Phase> phases() const;

  /// The steps of Ninja that are done, and all of them. Empty until the first step, and for Make,
  /// which shows percentages.
  struct Progress {
    unsigned done = 0;
    unsigned total = 0;
  };
  const std::optional<Progress>& progress() const { return progress_; }

  /// The output of compilers and CMake, without progress, commands and summaries of the build tool.
  /// Notes in system headers, such as the candidates of overload resolution, are replaced by their
  /// number.
  std::string diagnostics() const;

 private:
  void add_line(std::string line, Clock::time_point now);
  void end_phase(std::string_view name, Clock::time_point now);

  Clock::time_point last_;
  std::vector<Phase> phases_;
  std::string partial_line_;
  std::vector<std::string> lines_;
  std::optional<Progress> progress_;
};

/// Without the escape sequences of terminals.
std::string without_colors(std::string_view text);

}  // namespace fairway::dev
