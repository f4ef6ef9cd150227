#include "diagnostics/progress.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <unistd.h>
#include <utility>

#include "base/counted.hpp"

namespace fairway::diagnostics {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kInterval{100};

bool can_erase_lines() {
  const char* const terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

void write(const std::string& text) { (void)!::write(STDERR_FILENO, text.data(), text.size()); }

std::string duration_text(double seconds) {
  const long whole = std::max(1L, std::lround(std::ceil(seconds)));
  return whole < 60 ? fmt::format("{} s", whole) : fmt::format("{} min", (whole + 59) / 60);
}

}  // namespace

std::string progress_text(std::size_t done, std::size_t total, std::string_view noun,
                          std::chrono::duration<double> elapsed) {
  std::string text = fmt::format("{} of {}", done, fw::base::counted(total, noun));
  if (done > 0 && done < total) {
    const double left =
        elapsed.count() * static_cast<double>(total - done) / static_cast<double>(done);
    text += fmt::format(", {} left", duration_text(left));
  }
  return text;
}

ProgressLine::ProgressLine() : is_enabled_(can_erase_lines()) {}

void ProgressLine::show(const std::string& text) {
  if (!is_enabled_) return;
  write("\r" + text + "\x1b[K");
  is_shown_ = true;
}

void ProgressLine::erase() {
  if (std::exchange(is_shown_, false)) write("\r\x1b[K");
}

Progress::Progress(std::size_t total, std::string noun) : total_(total), noun_(std::move(noun)) {
  if (line_.is_enabled()) {
    thread_ = std::jthread([this](const std::stop_token& stop) { show_until(stop); });
  }
}

void Progress::step() {
  const std::lock_guard lock(mutex_);
  ++done_;
}

void Progress::show_until(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  for (Clock::duration wait = kProgressDelay;
       !stopped_.wait_for(lock, stop, wait, [&] { return stop.stop_requested(); });
       wait = kInterval) {
    line_.show("fairway: " + progress_text(done_, total_, noun_, Clock::now() - start_));
  }
}

}  // namespace fairway::diagnostics
