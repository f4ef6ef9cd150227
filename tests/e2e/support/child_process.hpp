// Programs under test: started in a folder of their own, stopped and reaped at the end of scope.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

#include "free_port.hpp"

namespace e2e {

/// A running program with its standard output and standard error collected.
class ChildProcess {
 public:
  ChildProcess(const std::string& program, const std::vector<std::string>& arguments,
               const std::filesystem::path& directory);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void signal(int number) const;
  /// Waits for the end and returns the exit status, or 128 plus the signal that ended it. Kills the
  /// program after `limit`.
  int wait(std::chrono::milliseconds limit = std::chrono::seconds(60));
  /// Everything written so far; complete after `wait`.
  std::string standard_output() const;
  std::string standard_error() const;
  bool running() const;
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  bool reaped_ = false;
  std::filesystem::path output_;
  std::filesystem::path error_;
};

using fairway::test::free_port;

/// Waits until something accepts connections on the port. False when the process ends before.
bool wait_until_listening(int port, const ChildProcess& process);

std::string read_file(const std::filesystem::path& path);

}  // namespace e2e
