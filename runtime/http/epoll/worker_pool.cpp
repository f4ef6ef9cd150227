#include "http/epoll/worker_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace fw::http {
namespace {

constexpr std::chrono::milliseconds kSampleInterval{1};
/// While workers receive events often, the interval grows up to this: they also look for those that
/// others have received, so that no event waits for the monitor.
constexpr std::chrono::milliseconds kMaxSampleInterval{4};
/// The number of batches of events in a millisecond from which on this is often.
constexpr std::uint64_t kManyBatches = 16;
/// Number of samples that are enough to estimate what all workers do. A single sample may see a
/// computing worker while it waits for a page or a lock.
constexpr std::size_t kMinSamples = 8;
/// Maximum number of workers that are checked in one sample, because each check takes one to three
/// system calls.
constexpr std::size_t kMaxChecks = 32;
/// While handlers compute, the sampling interval grows up to this.
constexpr std::chrono::milliseconds kMaxCheckInterval{16};
/// If all workers have been in their turns for this time, others get a worker.
constexpr std::chrono::milliseconds kLongTurn{25};
/// Maximum number of workers for handlers that compute, for each of the minimum and in total at
/// least.
constexpr std::size_t kComputingForEach = 8;
constexpr std::size_t kMinComputing = 16;
/// Number of samples with an idle worker after which the monitor sleeps.
constexpr int kQuietSamples = 20;

/// Whether a thread of this process is on a processor or waits for one.
bool is_running(int kernel_id) {
  const FileDescriptor file(
      open(fmt::format("/proc/self/task/{}/stat", kernel_id).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 64> text{};  // number, name in parentheses of up to 15 characters, state
  if (!file || read(file.get(), text.data(), text.size()) <= 0) return false;
  const std::string_view stat(text.data(), text.size());
  const auto name_end = stat.rfind(") ");
  return name_end != std::string_view::npos && stat.substr(name_end + 2, 1) == "R";
}

/// A worker counts the beginnings and the ends of its turns.
bool is_in_turn(std::uint64_t turns) { return turns % 2 == 1; }

}  // namespace

WorkerPool::WorkerPool(Poller& poller, const Limits& limits, const ReplacedWorkers& replaced,
                       Callbacks callbacks)
    : poller_(poller),
      limits_{std::max<std::size_t>(limits.min, 1), std::max(limits.min, limits.max),
              limits.idle_timeout, limits.tick_interval, limits.relief_interval},
      replaced_(replaced),
      callbacks_(std::move(callbacks)),
      monitor_wakes_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!monitor_wakes_) {
    throw std::system_error(errno, std::generic_category(), "cannot make an event descriptor");
  }
  try {
    while (count_.size() < limits_.min) add_worker();
  } catch (...) {
    // One worker is enough to start; it adds more when threads and memory are available.
    if (count_.size() == 0) throw;
  }
  try {
    start_monitor();
  } catch (...) {
    end_threads();
    throw;
  }
}

WorkerPool::~WorkerPool() { end_threads(); }

void WorkerPool::end_threads() {
  request_stop();
  if (monitor_.joinable()) monitor_.join();
  for (auto& worker : workers_) worker.thread.join();
}

void WorkerPool::request_stop() {
  stopping_.store(true);
  poller_.wake_all();
  wake_monitor();
}

void WorkerPool::work(Worker& worker) {
  worker.kernel_id.store(gettid());
  Poller::BatchSlot slot(poller_);
  const auto end = [&] {
    worker.has_exited.store(true);
    left_.fetch_add(1);
  };
  while (!stopping_.load(std::memory_order_relaxed)) {
    if (count_.leave_above(max())) return end();
    const auto event = take(slot);
    if (!event) {
      if (!count_.leave(limits_.min)) continue;
      return end();
    }
    if (event->id == Poller::kWakeOne) {
      poller_.consume_wake();
      continue;
    }
    worker.turns.fetch_add(1, std::memory_order_relaxed);
    callbacks_.handle(*event);
    worker.turns.fetch_add(1, std::memory_order_relaxed);
  }
  count_.remove();
}

std::optional<Poller::Event> WorkerPool::take(Poller::BatchSlot& slot) {
  bool has_more = false;
  if (const auto event = poller_.take_received(slot, has_more)) {
    if (has_more) notify_monitor();
    return event;
  }
  count_.begin_wait();
  const auto event = poller_.wait(slot, limits_.idle_timeout, has_more);
  if (!event) return std::nullopt;
  const bool was_last_idle = count_.end_wait();
  if (was_last_idle || has_more) notify_monitor();
  return event;
}

void WorkerPool::notify_monitor() {
  if (!notify_is_armed_.load(std::memory_order_relaxed) || !notify_is_armed_.exchange(false))
    return;
  is_notified_.store(true);
  wake_monitor();
}

void WorkerPool::wake_monitor() { eventfd_write(monitor_wakes_.get(), 1); }

void WorkerPool::start_monitor() {
  monitor_ = std::thread([this] { run_monitor(-1); });
}

void WorkerPool::monitor_until_readable(int descriptor) {
  if (monitor_.joinable()) {
    monitor_moves_.store(true);
    wake_monitor();
    monitor_.join();
    monitor_moves_.store(false);
  }
  run_monitor(descriptor);
  if (stopping_.load()) return;
  try {
    start_monitor();
  } catch (const std::exception&) {
    // The system has no more threads at the moment. The pool stays as it is until it stops.
  }
}

/// Returns true if the descriptor is readable. Otherwise, returns at that time, or when the monitor
/// was woken.
bool WorkerPool::wait_for_notification(std::chrono::steady_clock::time_point until,
                                       int descriptor) {
  std::array<pollfd, 2> entries{{{monitor_wakes_.get(), POLLIN, 0}, {descriptor, POLLIN, 0}}};
  const auto rest = std::max(until - std::chrono::steady_clock::now(), std::chrono::nanoseconds(0));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(rest);
  const timespec timeout{seconds.count(), (rest - seconds).count()};
  if (ppoll(entries.data(), entries.size(), &timeout, nullptr) <= 0) return false;
  eventfd_t wakes = 0;
  if (entries[0].revents != 0) eventfd_read(monitor_wakes_.get(), &wakes);
  return entries[1].revents != 0;
}

/// Returns when the pool stops, when the monitor moves to another thread, or when the descriptor is
/// readable, unless it is -1.
void WorkerPool::run_monitor(int descriptor) {
  using Clock = std::chrono::steady_clock;
  auto next_tick = Clock::now() + limits_.tick_interval;
  // Nobody notifies the monitor of what it already knew before it moved to this thread.
  bool is_sampling = true;
  int quiet_samples = 0;
  auto interval = kSampleInterval;
  while (!stopping_.load() && !monitor_moves_.load()) {
    const auto until = is_sampling ? std::min(next_tick, Clock::now() + interval) : next_tick;
    if (wait_for_notification(until, descriptor)) return;
    if (is_notified_.exchange(false)) {
      is_sampling = true;
      quiet_samples = 0;
      interval = kSampleInterval;
      // The first sample is only meaningful after an interval.
      std::this_thread::sleep_for(kSampleInterval);
    }
    if (is_sampling) {
      relieve();
      const bool has_nudged = wake_idle();
      const bool lacks_workers = balance();
      const bool is_healthy = receives_often(interval) && !has_nudged && !lacks_workers;
      interval = is_healthy ? std::min(2 * interval, kMaxSampleInterval) : kSampleInterval;
      const bool is_quiet = count_.idle() > 0 && poller_.received() == 0;
      quiet_samples = is_quiet ? quiet_samples + 1 : 0;
      if (quiet_samples >= kQuietSamples) {
        notify_is_armed_.store(true);
        // A worker that took an event just before could not notify the monitor.
        is_sampling = count_.idle() == 0 || poller_.received() > 0;
      }
    }
    if (Clock::now() >= next_tick) {
      next_tick = Clock::now() + limits_.tick_interval;
      join_exited_workers();
      try {
        callbacks_.tick(busy());
      } catch (const std::exception&) {
        // Memory is short; the next tick tries again.
      }
    }
  }
}

void WorkerPool::relieve() {
  if (!callbacks_.relieve || count_.idle() > 0) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_relief_) return;
  next_relief_ = now + limits_.relief_interval;
  try {
    callbacks_.relieve();
  } catch (const std::exception&) {
    // Memory is short; the next relief tries again.
  }
}

/// Returns whether idle workers had to be woken.
bool WorkerPool::wake_idle() {
  const auto progress = poller_.progress();
  const bool has_stalled = progress == std::exchange(seen_progress_, progress);
  const auto waiting = std::min(poller_.received(), count_.idle());
  if (!has_stalled || waiting == 0) return false;
  poller_.nudge(waiting);
  return true;
}

/// Whether the workers have received events often since the last call, an interval ago.
bool WorkerPool::receives_often(std::chrono::milliseconds interval) {
  const auto batch_count = poller_.batch_count();
  const auto added = batch_count - std::exchange(seen_batches_, batch_count);
  return added >= kManyBatches * static_cast<std::uint64_t>(interval.count());
}

/// Returns whether workers are blocked while none is idle.
bool WorkerPool::balance() {
  const auto size = count_.size();
  if (count_.idle() > 0 || size >= max()) {
    samples_ = waiting_samples_ = 0;
    return false;
  }
  add_for_long_turns();
  const auto now = std::chrono::steady_clock::now();
  if (now < next_check_at_) return waiting_samples_ > 0;
  next_check_at_ = now + check_interval_;
  sample_workers();
  if (samples_ < kMinSamples) return waiting_samples_ > 0;
  const auto waiting = size * std::exchange(waiting_samples_, 0) / std::exchange(samples_, 0);
  // Doubles, so that thousands of waiting handlers get their threads after a dozen samples.
  const auto wanted = std::min(max(), waiting + std::max(limits_.min, waiting));
  check_interval_ =
      wanted > size ? kSampleInterval : std::min(2 * check_interval_, kMaxCheckInterval);
  add_workers(wanted);
  return wanted > size;
}

/// Lets the kernel share the processors between handlers that compute for long and others, such as
/// health checks.
void WorkerPool::add_for_long_turns() {
  const auto size = count_.size();
  const auto most = std::min(max(), std::max(kMinComputing, kComputingForEach * limits_.min));
  if (size >= most) return;
  std::uint64_t turns = 0;
  bool are_all_in_turns = true;
  for (const Worker& worker : workers_) {
    const auto count = worker.turns.load();
    turns += count;
    // Others have just been started, or have got no event and wait again.
    are_all_in_turns = are_all_in_turns && is_in_turn(count);
  }
  const auto now = std::chrono::steady_clock::now();
  if (turns != std::exchange(seen_turns_, turns) || !are_all_in_turns) seen_turns_since_ = now;
  if (now - seen_turns_since_ < kLongTurn) return;
  seen_turns_since_ = now;
  add_workers(std::min(most, size + std::max<std::size_t>(size / 2, 1)));
}

void WorkerPool::add_workers(std::size_t wanted) {
  try {
    // Counted once: with a short idle time-out, workers leave while others are added.
    for (auto size = count_.size(); size < wanted && !stopping_.load(); ++size) add_worker();
  } catch (const std::exception&) {
    // The system has no more threads at the moment.
  }
}

void WorkerPool::sample_workers() {
  const auto most = std::min(workers_.size(), kMaxChecks);
  for (std::size_t i = 0; i < most; ++i) {
    if (next_checked_ == workers_.end()) next_checked_ = workers_.begin();
    ++samples_;
    if (is_waiting(*next_checked_++)) ++waiting_samples_;
  }
}

bool WorkerPool::is_waiting(const Worker& worker) {
  const auto turns = worker.turns.load();
  // A worker between two turns is about to take the next event.
  return is_in_turn(turns) && !is_running(worker.kernel_id.load()) && worker.turns.load() == turns;
}

void WorkerPool::join_exited_workers() {
  if (left_.load() == 0) return;
  for (auto worker = workers_.begin(); worker != workers_.end();) {
    if (!worker->has_exited.load()) {
      ++worker;
      continue;
    }
    worker->thread.join();
    worker = workers_.erase(worker);
    left_.fetch_sub(1);
  }
  next_checked_ = workers_.end();
}

void WorkerPool::add_worker() {
  auto& worker = workers_.emplace_back();
  count_.add();
  try {
    worker.thread = std::thread([this, &worker] { work(worker); });
  } catch (...) {
    count_.remove();
    workers_.pop_back();
    throw;
  }
}

}  // namespace fw::http
