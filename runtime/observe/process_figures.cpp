#include "observe/process_figures.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

namespace fw::detail {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

/// The seconds of the epoch at which the process was started.
std::optional<double> start_time() {
  std::ifstream stat("/proc/self/stat");
  std::string line;
  if (!std::getline(stat, line)) return std::nullopt;
  // The second field is the name of the program in parentheses, which may contain anything.
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  constexpr int kStartTime = 22 - 2;
  std::string field;
  for (int i = 0; i < kStartTime; ++i) fields >> field;
  std::ifstream system("/proc/stat");
  double boot = 0;
  for (std::string name; system >> name;) {
    if (name == "btime") {
      system >> boot;
      break;
    }
    std::getline(system, name);
  }
  if (!fields || boot == 0) return std::nullopt;
  return boot + std::stod(field) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::optional<double> open_descriptors() {
  std::error_code error;
  const std::filesystem::directory_iterator entries("/proc/self/fd", error);
  if (error) return std::nullopt;
  return static_cast<double>(std::distance(entries, std::filesystem::directory_iterator()) - 1);
}

}  // namespace

void write_process_figures(Exposition& text) {
  using Kind = Exposition::Kind;
  const auto write = [&](std::string_view name, Kind kind, std::string_view help,
                         const std::optional<double>& value) {
    if (!value) return;
    text.begin(name, kind, help);
    text.sample({}, *value);
  };
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    write("process_cpu_seconds", Kind::counter, "Processor time of the process in seconds.",
          seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
  }
  double pages = 0;
  double resident = 0;
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  if (std::ifstream statm("/proc/self/statm"); statm >> pages >> resident) {
    write("process_virtual_memory_bytes", Kind::gauge, "Size of the address space.", pages * page);
    write("process_resident_memory_bytes", Kind::gauge, "Memory that the process occupies.",
          resident * page);
  }
  write("process_open_fds", Kind::gauge, "Open file descriptors.", open_descriptors());
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    write("process_max_fds", Kind::gauge, "Limit of open file descriptors.",
          static_cast<double>(limit.rlim_cur));
  }
  write("process_start_time_seconds", Kind::gauge,
        "Time of the start of the process, in seconds since 1970.", start_time());
}

}  // namespace fw::detail
