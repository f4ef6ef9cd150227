// A program in a pseudo-terminal.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace e2e {

class Terminal {
 public:
  /// `environment`: "NAME=value", in addition to the own one.
  Terminal(const std::vector<std::string>& command, const std::filesystem::path& folder,
           const std::vector<std::string>& environment = {});
  /// Ends the program.
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Reads until `text` has been shown after what earlier calls have found; false if the program
  /// ends, or five minutes pass, without that.
  bool shows(const std::string& text);
  /// All that has been shown so far, without carriage returns.
  const std::string& screen() const { return screen_; }
  void type(const std::string& keys) const;
  /// Waits for the end: the exit status, or 128 plus the number of the signal.
  int wait();
  pid_t process() const { return process_; }

 private:
  /// False at the end, or when the time is over.
  bool read_more(std::chrono::steady_clock::time_point until);

  pid_t process_ = -1;
  int terminal_ = -1;
  bool has_ended_ = false;
  std::string screen_;
  std::size_t found_ = 0;  ///< the end of what `shows` has found
};

}  // namespace e2e
