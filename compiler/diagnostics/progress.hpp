// The progress of long work, on a line of the terminal that is erased at the end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace fairway::diagnostics {

/// Work that takes no longer shows no progress.
inline constexpr std::chrono::milliseconds kProgressDelay{500};

/// "12 of 200 files, 8 s left". The time left is extrapolated from the elapsed time.
std::string progress_text(std::size_t done, std::size_t total, std::string_view noun,
                          std::chrono::duration<double> elapsed);

/// The last line on standard error, if that is a terminal. Other output must erase it first.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool is_enabled() const { return is_enabled_; }
  /// Replaces the line.
  void show(const std::string& text);
  void erase();

 private:
  bool is_enabled_;
  bool is_shown_ = false;
};

/// Shows how many of `total` things are done, from half a second after its construction to its
/// destruction. Nothing else may write to the terminal meanwhile.
class Progress {
 public:
  Progress(std::size_t total, std::string noun);

  /// Thread-safe.
  void step();

 private:
  void show_until(const std::stop_token& stop);

  std::size_t total_;
  std::string noun_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::size_t done_ = 0;
  ProgressLine line_;
  std::jthread thread_;  ///< only in a terminal; last, because it uses all other members
};

}  // namespace fairway::diagnostics
