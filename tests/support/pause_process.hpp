// Stopping a process until SIGCONT.
#pragma once

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <sys/types.h>

#include "eventually.hpp"

namespace fairway::test {

/// Sends SIGSTOP and waits until every thread has stopped: on a busy machine, threads continue
/// to run until the one that receives the signal is scheduled.
inline void pause_process(pid_t pid) {
  const auto is_stopped = [](const std::filesystem::directory_entry& thread) {
    std::ifstream file(thread.path() / "stat");
    const std::string stat{std::istreambuf_iterator<char>(file), {}};
    const auto name_end = stat.rfind(')');
    return name_end != std::string::npos && stat.compare(name_end, 3, ") T") == 0;
  };
  const std::filesystem::path threads = "/proc/" + std::to_string(pid) + "/task";
  kill(pid, SIGSTOP);
  const auto all_stopped = [&] {
    return std::all_of(std::filesystem::directory_iterator(threads), {}, is_stopped);
  };
  if (!eventually(all_stopped)) throw std::runtime_error("the process does not stop");
}

}  // namespace fairway::test
