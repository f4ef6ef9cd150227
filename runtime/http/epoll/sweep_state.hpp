// What the sweep reads of a connection that another thread owns: when its wait ends, and how
// fast its client sends or takes what waits in memory.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "http/socket.hpp"

namespace fw::http {

/// Of what a connection waits for, by `coarse_now`. Its owner sets it, the sweep notices when it
/// has passed.
class Deadline {
 public:
  void set(std::int64_t time) { time_.store(time, std::memory_order_relaxed); }
  void set_after(std::chrono::milliseconds timeout) { set(coarse_now() + timeout.count()); }
  void lift() { set(kNone); }

  bool is_set() const { return time_.load(std::memory_order_relaxed) != kNone; }
  bool has_passed() const { return coarse_now() >= time_.load(std::memory_order_relaxed); }
  /// Whether it has passed and the sweep has noticed; the owner does not read the clock otherwise.
  bool take_notice() {
    return is_noticed_.exchange(false, std::memory_order_relaxed) && has_passed();
  }

  /// The sweep's. True if it has passed: the connection is to be woken.
  bool notice(std::int64_t now) {
    if (!is_set() || now < time_.load(std::memory_order_relaxed)) return false;
    is_noticed_.store(true, std::memory_order_relaxed);
    return true;
  }

 private:
  static constexpr std::int64_t kNone = 0;
  std::atomic<std::int64_t> time_{kNone};
  std::atomic<bool> is_noticed_{false};
};

/// The transfer that a connection has bytes in memory for.
class TransferMeter {
 public:
  /// `waiting` bytes are in memory; `transferred` have come or gone since the time `since`.
  void note(std::size_t waiting, std::int64_t since, std::uint64_t transferred) {
    waiting_.store(waiting, std::memory_order_relaxed);
    since_.store(since, std::memory_order_relaxed);
    transferred_.store(transferred, std::memory_order_relaxed);
  }
  void clear() { note(0, 0, 0); }

  struct Reading {
    std::size_t waiting;  ///< bytes in memory
    double pace;          ///< bytes that come or go each millisecond
  };
  /// Nothing if few bytes wait, or the transfer is too young to be called slow.
  std::optional<Reading> read(std::int64_t now) const {
    constexpr std::size_t kLeastWaiting = 16 * 1024;
    constexpr std::int64_t kLeastTime = 1000;
    const auto waiting = waiting_.load(std::memory_order_relaxed);
    const auto time = now - since_.load(std::memory_order_relaxed);
    if (waiting < kLeastWaiting || time < kLeastTime) return std::nullopt;
    const auto transferred = transferred_.load(std::memory_order_relaxed);
    return Reading{waiting, static_cast<double>(transferred) / static_cast<double>(time)};
  }

 private:
  std::atomic<std::size_t> waiting_{0};
  std::atomic<std::int64_t> since_{0};
  std::atomic<std::uint64_t> transferred_{0};
};

}  // namespace fw::http
