#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "files/user_error.hpp"
#include "process/processes.hpp"

namespace fairway::process {
namespace {

constexpr std::chrono::milliseconds kEndInterval{10};

struct Message {
  pid_t group = 0;
  bool has_ended = false;
};

void send_message(int socket, const Message& message) {
  while (::send(socket, &message, sizeof message, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

bool is_any_left(const std::set<pid_t>& groups) {
  for (const pid_t group : groups) {
    if (::kill(-group, 0) == 0) return true;
  }
  return false;
}

void end_groups(const std::set<pid_t>& groups) {
  for (const pid_t group : groups) ::kill(-group, SIGTERM);
  const auto end = std::chrono::steady_clock::now() + kStopTime;
  while (is_any_left(groups) && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(kEndInterval);
  }
  for (const pid_t group : groups) ::kill(-group, SIGKILL);
}

[[noreturn]] void run_guard(int socket) {
  ::setsid();  // what ends all processes of a terminal's group must not end it
  ::prctl(PR_SET_NAME, "fairway-guard");
  std::set<pid_t> groups;
  while (true) {
    Message message;
    const ssize_t size = ::recv(socket, &message, sizeof message, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size != sizeof message) break;
    if (message.has_ended) {
      groups.erase(message.group);
    } else {
      groups.insert(message.group);
    }
  }
  end_groups(groups);
  std::_Exit(0);
}

}  // namespace

GroupGuard::GroupGuard() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw UserError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  }
  messages_ = fw::base::FileDescriptor(ends[0]);
  const fw::base::FileDescriptor own(ends[1]);
  process_ = ::fork();
  if (process_ < 0) {
    throw UserError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  }
  if (process_ == 0) {
    messages_.close();
    run_guard(own.get());
  }
}

GroupGuard::~GroupGuard() {
  messages_.close();
  ::waitpid(process_, nullptr, 0);
}

void GroupGuard::add(pid_t group) const { send_message(messages_.get(), {group, false}); }

void GroupGuard::remove(pid_t group) const { send_message(messages_.get(), {group, true}); }

}  // namespace fairway::process
