#include "dev/terminal.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace e2e {

using Clock = std::chrono::steady_clock;

namespace {

/// A bound for tests that fail: on a busy machine, a build of a program takes a minute.
constexpr std::chrono::minutes kPatience{5};

}  // namespace

Terminal::Terminal(const std::vector<std::string>& command, const std::filesystem::path& folder,
                   const std::vector<std::string>& environment) {
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  winsize size{};
  size.ws_row = 40;
  size.ws_col = 100;
  process_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
  if (process_ < 0) throw std::runtime_error("no pseudo-terminal");
  if (process_ == 0) {
    for (const std::string& variable : environment) ::putenv(const_cast<char*>(variable.c_str()));
    if (::chdir(folder.c_str()) == 0) ::execv(arguments[0], arguments.data());
    std::_Exit(127);
  }
}

Terminal::~Terminal() {
  if (!has_ended_) {
    ::kill(process_, SIGTERM);
    wait();
  }
  ::close(terminal_);
}

bool Terminal::read_more(Clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  pollfd entry{terminal_, POLLIN, 0};
  if (left <= 0 || ::poll(&entry, 1, static_cast<int>(left)) <= 0) return false;
  std::array<char, 4096> bytes;
  const ssize_t size = ::read(terminal_, bytes.data(), bytes.size());
  for (ssize_t i = 0; i < size; ++i) {
    if (bytes[static_cast<std::size_t>(i)] != '\r') screen_ += bytes[static_cast<std::size_t>(i)];
  }
  return size > 0;
}

bool Terminal::shows(const std::string& text) {
  const auto until = Clock::now() + kPatience;
  while (true) {
    const auto found = screen_.find(text, found_);
    if (found != std::string::npos) {
      found_ = found + text.size();
      return true;
    }
    if (!read_more(until)) return false;
  }
}

void Terminal::type(const std::string& keys) const {
  if (::write(terminal_, keys.data(), keys.size()) < 0) throw std::runtime_error("cannot type");
}

int Terminal::wait() {
  const auto until = Clock::now() + kPatience;
  while (read_more(until)) {
  }
  if (Clock::now() >= until) ::kill(process_, SIGKILL);
  int status = 0;
  ::waitpid(process_, &status, 0);
  has_ended_ = true;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace e2e
