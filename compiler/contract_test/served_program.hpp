// The program of an application while its contract is tested.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

#include "process/event_loop.hpp"
#include "process/processes.hpp"

namespace fairway::contract_test {

/// Starts the program on a free port of 127.0.0.1, with FAIRWAY_ENV=test unless that variable is
/// set, and stops it at the end.
class ServedProgram {
 public:
  /// Returns when the program accepts connections. Throws UserError with what it has written if it
  /// ends before that, or does not do so within 30 seconds.
  explicit ServedProgram(const std::filesystem::path& program);
  ~ServedProgram();
  ServedProgram(const ServedProgram&) = delete;
  ServedProgram& operator=(const ServedProgram&) = delete;

  std::string url() const;
  /// Waits up to a second for the end of the program. How it has ended, with the last lines of its
  /// standard error; empty if it is running.
  std::string end() const;

 private:
  void stop();
  std::string end_within(std::chrono::milliseconds time) const;

  std::uint16_t port_;
  process::EventLoop loop_;
  process::Processes processes_;
  pid_t process_ = 0;
  fw::base::FileDescriptor ended_;  ///< readable when the program has ended
  fw::base::FileDescriptor stop_;   ///< written to end the loop
  mutable std::mutex mutex_;
  std::string output_;
  std::string status_;  ///< empty while the program runs
  std::thread thread_;
};

}  // namespace fairway::contract_test
