#include "cluster/worker_process.hpp"

#include <fairway/json.hpp>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <signal.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "cluster/supervisor_signals.hpp"

namespace fw::cluster {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// What a worker inherits; -1: nothing.
struct Inherited {
  int control_socket;
  int ticket_secret;
  int admin_socket;
  int admin_file;
  const std::vector<int>& listeners;
};

std::vector<std::string> environment_of_worker(int number, const Inherited& inherited) {
  const std::string number_prefix = std::string(kNumberVariable) + "=";
  const std::string role_prefix = std::string(kRoleVariable) + "=";
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!text.starts_with(number_prefix) && !text.starts_with(role_prefix)) {
      result.emplace_back(text);
    }
  }
  result.push_back(number_prefix + std::to_string(number));
  result.push_back(fmt::format("{}{}:{}:{}:{}:{}:{}", role_prefix, getpid(),
                               inherited.control_socket, inherited.ticket_secret,
                               inherited.admin_socket, inherited.admin_file,
                               fmt::join(inherited.listeners, ",")));
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Blocks all signals of the thread during its lifetime.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t previous_ = {};
};

/// Runs in the child, with all signals blocked. Only async-signal-safe functions may be called,
/// because other threads of the parent may have held locks.
[[noreturn]] void become_worker(const char* path, char* const* arguments, char* const* environment,
                                pid_t parent, const Inherited& inherited) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);  // the parent has already ended
  // Until the program is replaced, the supervisor's handlers would send this process's signals to
  // the supervisor, through the pipe that both have.
  for (const int number : SupervisorSignals::kHandled) signal(number, SIG_DFL);
  // Only the supervisor handles these signals when they are sent to the whole process group.
  signal(SIGHUP, SIG_IGN);
  signal(SIGUSR1, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  fcntl(inherited.control_socket, F_SETFD, 0);
  for (const int optional :
       {inherited.ticket_secret, inherited.admin_socket, inherited.admin_file}) {
    if (optional >= 0) fcntl(optional, F_SETFD, 0);
  }
  for (const int listener : inherited.listeners) fcntl(listener, F_SETFD, 0);
  execve(path, arguments, environment);
  std::array<char, 1 + sizeof(int)> packet = {static_cast<char>(Report::not_run)};
  const int error = errno;
  std::memcpy(packet.data() + 1, &error, sizeof error);
  send(inherited.control_socket, packet.data(), packet.size(), MSG_NOSIGNAL);
  _exit(127);
}

}  // namespace

Program Program::current() {
  std::array<char, 4096> path{};
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0) fail("cannot find this program's file to start its workers");
  Program program;
  program.path.assign(path.data(), static_cast<std::size_t>(size));
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  for (std::string argument; std::getline(file, argument, '\0');) {
    program.arguments.push_back(argument);
  }
  if (program.arguments.empty()) program.arguments.push_back(program.path);
  return program;
}

WorkerProcess::WorkerProcess(const Program& program, int number, const std::vector<int>& listeners,
                             int ticket_secret, bool has_link) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    fail("cannot make a control socket for a worker");
  }
  control_socket_ = base::FileDescriptor(ends[0]);
  const base::FileDescriptor other_end(ends[1]);
  if (has_link) link_ = std::make_shared<WorkerLink>();
  const Inherited inherited{other_end.get(), ticket_secret, link_ ? link_->worker_socket() : -1,
                            link_ ? link_->file() : -1, listeners};
  auto argument_texts = program.arguments;
  auto environment_texts = environment_of_worker(number, inherited);
  const auto arguments = pointers_to(argument_texts);
  const auto environment = pointers_to(environment_texts);
  const pid_t parent = getpid();
  {
    const BlockedSignals blocked;
    pid_ = fork();
    if (pid_ == 0) {
      become_worker(program.path.c_str(), arguments.data(), environment.data(), parent, inherited);
    }
  }
  if (link_) link_->release_worker_socket();
  if (pid_ < 0) fail("cannot start a worker");
  // Needs Linux 5.3. In contrast to a process id, a pidfd is not reused.
  pidfd_ = base::FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0U)));
  if (!pidfd_) {
    const int error = errno;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    errno = error;
    fail("cannot watch a worker");
  }
}

void WorkerProcess::enter(State state) {
  state_ = state;
  since_ = Clock::now();
}

std::optional<Report> WorkerProcess::take_report() {
  std::vector<char> packet(64 * 1024);
  const ssize_t size = recv(control_socket_.get(), packet.data(), packet.size(), MSG_DONTWAIT);
  if (size <= 0) {
    // A closed socket stays readable; the pidfd reports the end of the process.
    if (size == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
      control_socket_.close();
    return std::nullopt;
  }
  const std::string_view text(packet.data() + 1, static_cast<std::size_t>(size) - 1);
  const auto about = static_cast<Report>(packet[0]);
  if (about == Report::not_run) {
    int error = 0;
    std::memcpy(&error, text.data(), std::min(text.size(), sizeof error));
    errors_.push_back(fmt::format("cannot start a worker from the program's file: {}",
                                  std::generic_category().message(error)));
  } else if (about == Report::errors) {
    const Json errors = Json::parse(text, nullptr, false);
    if (errors.is_array()) {
      for (const Json& error : errors)
        errors_.push_back(error.is_string() ? error.get<std::string>() : error.dump());
    } else {
      errors_.emplace_back(text);  // a list that is too long arrives truncated
    }
  }
  return about;
}

void WorkerProcess::signal(int number) const { kill(pid_, number); }

std::optional<std::string> WorkerProcess::take_end() {
  int status = 0;
  const pid_t ended = waitpid(pid_, &status, WNOHANG);
  if (ended == 0) return std::nullopt;
  if (ended < 0) return errno == ECHILD ? std::optional("an unknown status") : std::nullopt;
  if (WIFEXITED(status)) return fmt::format("status {}", WEXITSTATUS(status));
  const char* name = sigdescr_np(WTERMSIG(status));
  return fmt::format("signal {} ({})", WTERMSIG(status), name != nullptr ? name : "unknown");
}

}  // namespace fw::cluster
