// A process of which only the output matters.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "process/processes.hpp"

namespace fairway::process {

/// One at a time: a new one replaces the one that is running.
class CapturedProcess {
 public:
  /// `processes` must outlive the object, which must outlive its process.
  explicit CapturedProcess(Processes& processes) : processes_(processes) {}

  /// Calls `done` with all output when the process has ended, unless it was cancelled. Throws
  /// UserError if it cannot be started.
  void start(std::vector<std::string> arguments, std::filesystem::path directory,
             std::function<void(std::string output)> done);
  /// Ends the process, if one is running.
  void cancel();

 private:
  Processes& processes_;
  pid_t process_ = 0;
  std::string output_;
};

}  // namespace fairway::process
