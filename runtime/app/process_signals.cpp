#include "app/process_signals.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <poll.h>
#include <system_error>
#include <unistd.h>

#include "http/tls/tls_server.hpp"

namespace fw::detail {
namespace {

// Signals affect the whole process, and a signal handler can only use globals.
constexpr std::size_t kMaxWaiters = 64;
constexpr int kNotOpen = -1;

struct Waiters {
  /// The write ends of pipes. They are opened on demand and never closed, because a handler on
  /// another thread may be about to write to one.
  std::array<std::atomic<int>, kMaxWaiters> descriptors;
  std::mutex mutex;  // guards the following members; a signal handler never locks it
  std::array<int, kMaxWaiters> receivers = {};
  std::array<bool, kMaxWaiters> is_taken = {};
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
  const char byte = 0;
  // The only error is a full pipe, and then the waiter is awake anyway.
  [[maybe_unused]] const ssize_t written = ::write(descriptor, &byte, sizeof byte);
}

void drain(int descriptor) {
  std::array<char, 64> bytes;
  ssize_t size = 0;
  do {
    size = ::read(descriptor, bytes.data(), bytes.size());
  } while (size > 0 || (size < 0 && errno == EINTR));
}

/// Opens the pipe of a slot. The caller holds the mutex.
void open_pipe(std::size_t slot) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  for (const int end : ends) {
    ::fcntl(end, F_SETFD, FD_CLOEXEC);
    ::fcntl(end, F_SETFL, O_NONBLOCK);
  }
  g_waiters.receivers[slot] = ends[0];
  g_waiters.descriptors[slot] = ends[1];
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

extern "C" void on_reload_signal(int) { http::request_certificate_reload(); }

}  // namespace

StopSignal::StopSignal(OnSecondSignal second) {
  const std::lock_guard lock(g_waiters.mutex);
  while (slot_ < kMaxWaiters && g_waiters.is_taken[slot_]) ++slot_;
  if (slot_ == kMaxWaiters) {
    throw std::system_error(std::make_error_code(std::errc::too_many_files_open),
                            "too many applications listen in this process");
  }
  if (g_waiters.descriptors[slot_] == kNotOpen) open_pipe(slot_);
  descriptor_ = g_waiters.receivers[slot_];
  drain(descriptor_);  // discards notifications for an earlier object
  g_waiters.is_taken[slot_] = true;
  if (g_waiters.count++ == 0) {
    g_waiters.got_signal.store(false);
    g_waiters.second_ends_process.store(second == OnSecondSignal::ends_process);
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

void StopSignal::notify() { wake(g_waiters.descriptors[slot_]); }

bool StopSignal::wait() {
  // Waits with poll, because ThreadSanitizer delivers no signals during a read.
  pollfd entry{descriptor_, POLLIN, 0};
  while (::poll(&entry, 1, -1) < 0 && errno == EINTR) {
  }
  return g_waiters.got_signal.load();
}

ReloadSignal::ReloadSignal() {
  struct sigaction previous = {};
  if (sigaction(SIGHUP, nullptr, &previous) != 0 || previous.sa_handler != SIG_DFL) return;
  struct sigaction action = {};
  action.sa_handler = on_reload_signal;
  action.sa_flags = SA_RESTART;
  is_installed_ = sigaction(SIGHUP, &action, nullptr) == 0;
}

ReloadSignal::~ReloadSignal() {
  if (is_installed_) signal(SIGHUP, SIG_DFL);
}

}  // namespace fw::detail
