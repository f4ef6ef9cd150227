#include "child.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fairway::bench {
namespace {

double seconds(const timeval& time) {
  constexpr double kMicrosecond = 1e-6;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * kMicrosecond;
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  cpu_seconds += other.cpu_seconds;
  wall_seconds += other.wall_seconds;
  peak_mib = std::max(peak_mib, other.peak_mib);
  return *this;
}

Cost run(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  std::vector<std::string> words = command;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  const int spawn_error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  rusage usage{};
  const bool succeeded = spawn_error == 0 && wait4(child, &status, 0, &usage) == child &&
                         WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!succeeded) throw std::runtime_error(fmt::format("failed: {}", fmt::join(command, " ")));
  constexpr double kKibInMib = 1024;
  return {.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime),
          .wall_seconds =
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          .peak_mib = static_cast<double>(usage.ru_maxrss) / kKibInMib};
}

}  // namespace fairway::bench
