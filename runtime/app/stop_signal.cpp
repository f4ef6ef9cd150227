#include "app/stop_signal.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace fw::detail {
namespace {

// Signals belong to the process, and a handler reaches nothing but globals.
constexpr std::size_t kMostWaiters = 64;
constexpr int kNotOpen = -1;

struct Waiters {
  /// Of eventfds that are opened when they are first needed and never closed: a handler that runs
  /// at this moment on another thread may be about to write to any of them.
  std::array<std::atomic<int>, kMostWaiters> descriptors;
  std::mutex mutex;  // of what follows; a handler never takes it
  std::array<bool, kMostWaiters> is_taken = {};
  int count = 0;
  struct sigaction previous_interrupt = {};
  struct sigaction previous_terminate = {};
  std::atomic<bool> got_signal{false};
  std::atomic<bool> second_ends_process{true};

  Waiters() {
    for (auto& descriptor : descriptors) descriptor = kNotOpen;
  }
};

Waiters g_waiters;
static_assert(std::atomic<int>::is_always_lock_free, "needed in a signal handler");

void wake(int descriptor) {
  const std::uint64_t one = 1;
  // The counter of an eventfd can only be full, and then the waiter is awake anyway.
  [[maybe_unused]] const ssize_t written = ::write(descriptor, &one, sizeof one);
}

void drain(int descriptor) {
  std::uint64_t count = 0;
  while (::read(descriptor, &count, sizeof count) < 0 && errno == EINTR) {
  }
}

extern "C" void on_stop_signal(int) {
  const int error = errno;
  g_waiters.got_signal.store(true);
  if (g_waiters.second_ends_process.load()) {
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(SIGINT, &standard, nullptr);
    sigaction(SIGTERM, &standard, nullptr);
  }
  for (const auto& descriptor : g_waiters.descriptors) {
    const int value = descriptor.load();
    if (value != kNotOpen) wake(value);
  }
  errno = error;
}

}  // namespace

StopSignal::StopSignal(Second second) {
  const std::lock_guard lock(g_waiters.mutex);
  while (slot_ < kMostWaiters && g_waiters.is_taken[slot_]) ++slot_;
  if (slot_ == kMostWaiters) {
    throw std::system_error(std::make_error_code(std::errc::too_many_files_open),
                            "too many applications listen in this process");
  }
  auto& descriptor = g_waiters.descriptors[slot_];
  if (descriptor == kNotOpen) {
    const int opened = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (opened < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
    descriptor = opened;
  }
  descriptor_ = descriptor;
  drain(descriptor_);  // of what was meant for an earlier one
  g_waiters.is_taken[slot_] = true;
  if (g_waiters.count++ == 0) {
    g_waiters.got_signal.store(false);
    g_waiters.second_ends_process.store(second == Second::ends_process);
    struct sigaction action = {};
    action.sa_handler = on_stop_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, &g_waiters.previous_interrupt);
    sigaction(SIGTERM, &action, &g_waiters.previous_terminate);
  }
}

StopSignal::~StopSignal() {
  const std::lock_guard lock(g_waiters.mutex);
  g_waiters.is_taken[slot_] = false;
  if (--g_waiters.count == 0) {
    sigaction(SIGINT, &g_waiters.previous_interrupt, nullptr);
    sigaction(SIGTERM, &g_waiters.previous_terminate, nullptr);
  }
}

void StopSignal::notify() { wake(descriptor_); }

bool StopSignal::wait() {
  // Waited for by poll: ThreadSanitizer delivers no signal within a read.
  pollfd entry{descriptor_, POLLIN, 0};
  while (::poll(&entry, 1, -1) < 0 && errno == EINTR) {
  }
  return g_waiters.got_signal.load();
}

}  // namespace fw::detail
