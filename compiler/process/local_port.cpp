#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <netinet/in.h>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "base/file_descriptor.hpp"
#include "base/parse_number.hpp"
#include "process/processes.hpp"

namespace fairway::process {
namespace {

namespace fs = std::filesystem;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// The sockets that listen on the port, as links in /proc/PID/fd name them.
std::set<std::string> listening_sockets(std::uint16_t port) {
  constexpr std::string_view kListening = "0A";
  enum Column : std::size_t { kLocalAddress = 1, kState = 3, kInode = 9 };
  const std::string ending = fmt::format(":{:04X}", port);
  std::set<std::string> sockets;
  for (const char* table : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
    std::ifstream file(table);
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::vector<std::string> columns;
      for (std::string word; words >> word;) columns.push_back(word);
      if (columns.size() > kInode && columns[kLocalAddress].ends_with(ending) &&
          columns[kState] == kListening) {
        sockets.insert("socket:[" + columns[kInode] + "]");
      }
    }
  }
  return sockets;
}

std::vector<pid_t> processes_of(pid_t group) {
  std::vector<pid_t> processes;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    const auto process = fw::base::parse_number<pid_t>(name);
    if (process && ::getpgid(*process) == group) processes.push_back(*process);
  }
  return processes;
}

bool has_any(pid_t process, const std::set<std::string>& sockets) {
  std::error_code error;
  fs::directory_iterator entry(fmt::format("/proc/{}/fd", process), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code closed;
    if (sockets.contains(fs::read_symlink(entry->path(), closed).string())) return true;
  }
  return false;
}

}  // namespace

std::uint16_t free_port() {
  const fw::base::FileDescriptor probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  ::bind(probe.get(), reinterpret_cast<const sockaddr*>(&address), size);
  ::getsockname(probe.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

bool accepts_connections(std::uint16_t port) {
  const fw::base::FileDescriptor probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  return ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

bool listens_on(pid_t group, std::uint16_t port) {
  const std::set<std::string> sockets = listening_sockets(port);
  return !sockets.empty() && std::ranges::any_of(processes_of(group), [&](pid_t process) {
    return has_any(process, sockets);
  });
}

}  // namespace fairway::process
