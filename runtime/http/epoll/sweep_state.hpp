// The state of a connection that the sweep reads while another thread owns it: its deadline, and
// the speed of its transfer.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "http/socket.hpp"

namespace fw::http {

/// The deadline of a connection (`coarse_now`). The owner sets it, and the sweep detects its
/// expiry, once.
class Deadline {
 public:
  void set(std::int64_t time) { time_.store(time, std::memory_order_relaxed); }
  void set_after(std::chrono::milliseconds timeout) { set(coarse_now() + timeout.count()); }
  void clear() { set(kNone); }

  bool is_set() const { return time_.load(std::memory_order_relaxed) != kNone; }
  bool has_passed() const { return coarse_now() >= time_.load(std::memory_order_relaxed); }
  /// Whether the sweep has detected the expiry, so that the owner need not read the clock.
  bool take_expiry() {
    const auto time = time_.load(std::memory_order_relaxed);
    return time != kNone && detected_.load(std::memory_order_relaxed) == time;
  }

  /// Called by the sweep. Returns true if the deadline has expired and the connection must be
  /// woken, which it is once: its event may wait for a worker for longer than a sweep.
  bool detect_expiry(std::int64_t now) {
    const auto time = time_.load(std::memory_order_relaxed);
    if (time == kNone || now < time) return false;
    return detected_.exchange(time, std::memory_order_relaxed) != time;
  }

 private:
  static constexpr std::int64_t kNone = 0;
  std::atomic<std::int64_t> time_{kNone};
  std::atomic<std::int64_t> detected_{kNone};  ///< the last deadline whose expiry was detected
};

/// The speed of the current transfer and its buffered bytes.
class TransferMeter {
 public:
  /// Records that `waiting` bytes are in memory, and `transferred` bytes were transferred since
  /// `since`.
  void note(std::size_t waiting, std::int64_t since, std::uint64_t transferred) {
    if (since_.load(std::memory_order_relaxed) != since) clear();
    waiting_.store(waiting, std::memory_order_release);
    transferred_.store(transferred, std::memory_order_release);
    since_.store(since, std::memory_order_release);
  }
  void clear() { since_.store(kNone, std::memory_order_relaxed); }

  struct Reading {
    std::size_t waiting;  ///< bytes in memory
    double rate;          ///< transferred bytes per millisecond
  };
  /// Empty if few bytes are buffered, or if the transfer has lasted less than a second.
  std::optional<Reading> read(std::int64_t now) const {
    constexpr std::size_t kMinWaiting = 16 * 1024;
    constexpr std::int64_t kMinTime = 1000;
    const auto since = since_.load(std::memory_order_acquire);
    const auto time = now - since;
    if (since == kNone || time < kMinTime) return std::nullopt;
    const auto waiting = waiting_.load(std::memory_order_acquire);
    const auto transferred = transferred_.load(std::memory_order_acquire);
    // Another transfer may have begun, with its own bytes.
    if (since_.load(std::memory_order_relaxed) != since) return std::nullopt;
    if (waiting < kMinWaiting) return std::nullopt;
    return Reading{waiting, static_cast<double>(transferred) / static_cast<double>(time)};
  }

 private:
  static constexpr std::int64_t kNone = -1;
  std::atomic<std::size_t> waiting_{0};
  std::atomic<std::int64_t> since_{kNone};
  std::atomic<std::uint64_t> transferred_{0};
};

}  // namespace fw::http
