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

std::optional<double> max_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<double>(limit.rlim_cur);
}

std::optional<double> open_descriptors() {
  std::error_code error;
  const std::filesystem::directory_iterator entries("/proc/self/fd", error);
  // To count them needs one more.
  if (error == std::errc::too_many_files_open) return max_descriptors();
  if (error) return std::nullopt;
  return static_cast<double>(std::distance(entries, std::filesystem::directory_iterator()) - 1);
}

}  // namespace

void write_process_figures(Exposition& text) {
  const auto write = [&](const metrics::Metric& metric, const std::optional<double>& value) {
    if (!value) return;
    text.begin(metric);
    text.sample({}, *value);
  };
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    write(metrics::kProcessorTime, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
  }
  double pages = 0;
  double resident = 0;
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  if (std::ifstream statm("/proc/self/statm"); statm >> pages >> resident) {
    write(metrics::kVirtualMemory, pages * page);
    write(metrics::kResidentMemory, resident * page);
  }
  write(metrics::kOpenDescriptors, open_descriptors());
  write(metrics::kMaxDescriptors, max_descriptors());
  write(metrics::kStartTime, start_time());
}

}  // namespace fw::detail
