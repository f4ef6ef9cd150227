#include "dev/lint_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "base/counted.hpp"
#include "dev/build_run.hpp"

namespace fairway::dev {
namespace {

constexpr std::size_t kMaxWarnings = 5;

/// An edit moves the lines after it.
std::vector<std::string> without_numbers(std::vector<std::string> lines) {
  for (std::string& line : lines) {
    std::erase_if(line, [](unsigned char c) { return std::isdigit(c) != 0; });
  }
  return lines;
}

}  // namespace

std::vector<std::string> warnings_in(std::string_view output) {
  std::vector<std::string> warnings;
  std::istringstream lines{std::string(output)};
  for (std::string line; std::getline(lines, line);) {
    if (without_colors(line).find(": warning: ") != std::string::npos) warnings.push_back(line);
  }
  return warnings;
}

void LintRun::begin() {
  cancel();
  output_.clear();
  left_ = commands_();
  std::ranges::reverse(left_);
  run_next();
}

void LintRun::cancel() {
  process_.cancel();
  left_.clear();
}

void LintRun::run_next() {
  if (left_.empty()) {
    report();
    return;
  }
  Command command = std::move(left_.back());
  left_.pop_back();
  process_.start(std::move(command), project_.folder(), [this](const std::string& output) {
    output_ += output;
    if (!main_.is_stopping()) run_next();
  });
}

void LintRun::report() {
  const std::vector<std::string> warnings = warnings_in(output_);
  const std::vector<std::string> before = std::exchange(reported_, without_numbers(warnings));
  const std::string count = fw::base::counted(warnings.size(), "warning");
  if (warnings.empty()) {
    if (!before.empty()) console_.say("no warnings are left");
  } else if (reported_ == before) {
    console_.say(count + ", as before");
  } else {
    std::string text;
    for (std::size_t i = 0; i < std::min(warnings.size(), kMaxWarnings); ++i) {
      text += warnings[i] + '\n';
    }
    console_.say(fmt::format("{}; 'fairway doctor' explains them", count));
    console_.write(text);
    if (warnings.size() > kMaxWarnings) {
      console_.write(fmt::format("and {} more\n", warnings.size() - kMaxWarnings));
    }
  }
}

}  // namespace fairway::dev
