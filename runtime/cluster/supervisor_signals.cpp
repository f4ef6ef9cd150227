#include "cluster/supervisor_signals.hpp"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace fw::cluster {
namespace {

// A handler reaches nothing but globals.
std::atomic<int> g_sender = -1;
static_assert(std::atomic<int>::is_always_lock_free, "needed in a signal handler");

void pass_on(int sender, int number) {
  const auto byte = static_cast<unsigned char>(number);
  // With the pipe full of signals, one more says nothing new.
  [[maybe_unused]] const ssize_t written = write(sender, &byte, 1);
}

extern "C" void on_supervisor_signal(int number) {
  const int error = errno;
  const int sender = g_sender.load();
  if (sender >= 0) pass_on(sender, number);
  errno = error;
}

}  // namespace

SupervisorSignals::SupervisorSignals() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe for signals");
  }
  receiver_ = http::FileDescriptor(ends[0]);
  sender_ = http::FileDescriptor(ends[1]);
  int none = -1;
  if (!g_sender.compare_exchange_strong(none, sender_.get())) {
    throw std::logic_error(
        "two applications of this process listen with cluster.enabled: only one can");
  }
  struct sigaction action = {};
  action.sa_handler = on_supervisor_signal;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kHandled.size(); ++i) sigaction(kHandled[i], &action, &previous_[i]);
}

SupervisorSignals::~SupervisorSignals() {
  for (std::size_t i = 0; i < kHandled.size(); ++i) sigaction(kHandled[i], &previous_[i], nullptr);
  g_sender.store(-1);
}

std::optional<int> SupervisorSignals::take() {
  unsigned char number = 0;
  if (read(receiver_.get(), &number, 1) != 1) return std::nullopt;
  return number;
}

void SupervisorSignals::request_stop() { pass_on(sender_.get(), kStopRequest); }

}  // namespace fw::cluster
