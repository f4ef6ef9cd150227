#include "process/processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <signal.h>
#include <sstream>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "files/user_error.hpp"

namespace fairway::process {

namespace fs = std::filesystem;
namespace {

constexpr int kCannotStart = 127;

/// In the new process, up to the program or the end.
[[noreturn]] void run_program(const ProcessOptions& options, std::vector<char*>& arguments,
                              int output, const GroupGuard& guard) {
  ::setpgid(0, 0);
  guard.add(::getpid());
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDERR_FILENO);
  if (options.captures_output) ::dup2(output, STDOUT_FILENO);
  for (const std::string& variable : options.environment) {
    ::putenv(const_cast<char*>(variable.c_str()));
  }
  if (::chdir(options.directory.c_str()) == 0) ::execvp(arguments[0], arguments.data());
  const std::string message =
      fmt::format("fairway: cannot start '{}': {}\n", arguments[0], std::strerror(errno));
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, message.data(), message.size());
  std::_Exit(kCannotStart);
}

}  // namespace

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

Processes::~Processes() {
  for (const auto& [process, entry] : entries_) {
    signal(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
    guard_.remove(process);
    loop_.forget(entry.output.get());
  }
}

pid_t Processes::start(ProcessOptions options) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw UserError(
        fmt::format("cannot start '{}': {}", options.arguments.front(), std::strerror(errno)));
  }
  fw::base::FileDescriptor output(ends[0]);
  const fw::base::FileDescriptor input(ends[1]);
  ::fcntl(output.get(), F_SETFL, O_NONBLOCK);
  std::vector<char*> arguments;
  for (std::string& argument : options.arguments) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  const pid_t process = ::fork();
  if (process < 0) {
    throw UserError(
        fmt::format("cannot start '{}': {}", options.arguments.front(), std::strerror(errno)));
  }
  if (process == 0) run_program(options, arguments, input.get(), guard_);
  ::setpgid(process, process);  // in both, so that neither has to wait for the other
  loop_.watch(output.get(), POLLIN, [this, process](short) { read_output(process); });
  entries_[process] = {std::move(options), std::move(output)};
  return process;
}

void Processes::signal(pid_t process, int number) const {
  if (entries_.contains(process)) ::kill(-process, number);
}

std::vector<pid_t> Processes::all() const {
  std::vector<pid_t> result;
  for (const auto& [process, entry] : entries_) result.push_back(process);
  return result;
}

void Processes::read_output(pid_t process) {
  Entry& entry = entries_.at(process);
  std::array<char, 16'384> buffer;
  while (entry.output) {
    const ssize_t size = ::read(entry.output.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) {
      loop_.forget(entry.output.get());
      entry.output.close();
    } else if (entry.options.output) {
      entry.options.output({buffer.data(), static_cast<std::size_t>(size)});
    }
  }
}

void Processes::reap() {
  for (const pid_t process : all()) {
    int status = 0;
    if (::waitpid(process, &status, WNOHANG) != process) continue;
    read_output(process);
    ::kill(-process, SIGKILL);  // children that are still running
    guard_.remove(process);
    const auto node = entries_.extract(process);
    Entry& entry = node.mapped();
    if (entry.output) loop_.forget(entry.output.get());
    if (entry.options.ended) entry.options.ended(status);
  }
}

std::string describe_status(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

std::vector<fs::path> search_path() {
  const char* path = std::getenv("PATH");
  std::istringstream words(path == nullptr ? "" : path);
  std::vector<fs::path> folders;
  for (std::string folder; std::getline(words, folder, ':');) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

bool is_in_path(const std::string& program) {
  return std::ranges::any_of(search_path(), [&program](const fs::path& folder) {
    std::error_code ignored;
    const fs::path file = folder / program;
    return fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
  });
}

void CapturedProcess::start(std::vector<std::string> arguments, std::filesystem::path directory,
                            std::function<void(std::string output)> done) {
  cancel();
  output_.clear();
  const auto process = std::make_shared<pid_t>(0);
  const auto is_cancelled = [this, process] { return *process != process_; };
  *process = processes_.start({.arguments = std::move(arguments),
                               .directory = std::move(directory),
                               .captures_output = true,
                               .output =
                                   [this, is_cancelled](std::string_view text) {
                                     if (!is_cancelled()) output_ += text;
                                   },
                               .ended =
                                   [this, is_cancelled, done = std::move(done)](int) {
                                     if (is_cancelled()) return;
                                     process_ = 0;
                                     done(std::exchange(output_, {}));
                                   }});
  process_ = *process;
}

void CapturedProcess::cancel() {
  if (process_ != 0) processes_.signal(std::exchange(process_, 0), SIGKILL);
}

}  // namespace fairway::process
