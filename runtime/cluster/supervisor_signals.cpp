#include "cluster/supervisor_signals.hpp"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace fw::cluster {
namespace {

// A signal handler can only use globals. The pipe is never closed, because a handler on another
// thread may be about to write to it.
std::atomic<int> g_sender = -1;
int g_receiver = -1;
std::atomic<bool> g_is_taken = false;
static_assert(std::atomic<int>::is_always_lock_free, "needed in a signal handler");

/// Throws std::system_error.
void open_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe for signals");
  }
  g_receiver = ends[0];
  g_sender = ends[1];
}

void pass_on(int number) {
  const auto byte = static_cast<unsigned char>(number);
  // If the pipe is full, another signal adds no information.
  [[maybe_unused]] const ssize_t written = write(g_sender.load(), &byte, 1);
}

extern "C" void on_supervisor_signal(int number) {
  const int error = errno;
  pass_on(number);
  errno = error;
}

}  // namespace

SupervisorSignals::SupervisorSignals() {
  if (g_is_taken.exchange(true)) {
    throw std::logic_error(
        "two applications of this process listen with cluster.enabled: only one can");
  }
  try {
    if (g_receiver < 0) open_pipe();
  } catch (...) {
    g_is_taken = false;
    throw;
  }
  while (take()) {
    // Discards signals for an earlier supervisor.
  }
  struct sigaction action = {};
  action.sa_handler = on_supervisor_signal;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kHandled.size(); ++i) sigaction(kHandled[i], &action, &previous_[i]);
}

SupervisorSignals::~SupervisorSignals() {
  for (std::size_t i = 0; i < kHandled.size(); ++i) sigaction(kHandled[i], &previous_[i], nullptr);
  g_is_taken = false;
}

int SupervisorSignals::descriptor() const { return g_receiver; }

std::optional<int> SupervisorSignals::take() {
  unsigned char number = 0;
  if (read(g_receiver, &number, 1) != 1) return std::nullopt;
  return number;
}

void SupervisorSignals::request_stop() { pass_on(kStopRequest); }

}  // namespace fw::cluster
