// The events that one call of epoll_wait has returned.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace fw::http {

/// An event for the tasks of a connection with HTTP/2: see http2_connection.hpp.
enum class TaskEvent : std::uint8_t {
  none,  ///< the event is one of the socket
  normal,
  slow,  ///< the tasks need time, so that it comes after what others wait for
};

/// An event of the epoll set.
struct PollEvent {
  std::uint64_t id = 0;
  bool peer_closed = false;  ///< the peer has closed its side
  bool broken = false;       ///< the connection has failed in both directions
  bool is_late = false;      ///< it has waited for a worker for too long
  bool has_lease = false;    ///< whoever handles it owns the connection, unless it is a task
  TaskEvent task = TaskEvent::none;
  std::int64_t posted_at = 0;  ///< by `coarse_now`; 0: it was not posted
};

/// Events that a worker has received and not handled yet. The worker that owns the batch fills it,
/// and all workers take events from it. No thread waits for another.
class alignas(64) EventBatch {
 public:
  /// Few enough to distribute events among workers, enough to save calls.
  static constexpr std::size_t kCapacity = 15;

  /// Called by the owner, with at most `kCapacity` events, when the batch is empty.
  void fill(std::span<const PollEvent> events) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      const PollEvent& event = events[i];
      const std::uint64_t flags = (event.peer_closed ? 2U : 0U) | (event.broken ? 1U : 0U);
      events_[i].store(event.id << 2 | flags, std::memory_order_relaxed);
    }
    state_.store((batch_count() + 1) << 16 | events.size() << 8, std::memory_order_release);
  }

  std::optional<PollEvent> take() {
    auto state = state_.load(std::memory_order_acquire);
    while (size_in(state) > 0) {
      // If the batch has been filled again since, the exchange fails.
      const auto word = events_[state & 0xFF].load(std::memory_order_relaxed);
      if (state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
        return PollEvent{
            .id = word >> 2, .peer_closed = (word & 2) != 0, .broken = (word & 1) != 0};
      }
    }
    return std::nullopt;
  }

  /// Makes the caller the owner, unless there is one.
  bool acquire() { return !is_owned_.exchange(true); }
  void release() { is_owned_.store(false); }

  std::size_t size() const { return size_in(state_.load(std::memory_order_relaxed)); }
  /// How often the batch was filled.
  std::uint64_t batch_count() const { return state_.load(std::memory_order_relaxed) >> 16; }
  /// A number that changes whenever the batch does.
  std::uint64_t version() const { return state_.load(std::memory_order_relaxed); }

 private:
  static std::size_t size_in(std::uint64_t state) { return (state >> 8 & 0xFF) - (state & 0xFF); }

  /// The number of batch_count, the number of events (8 bits), and the number of taken events (8
  /// bits).
  std::atomic<std::uint64_t> state_{0};
  std::array<std::atomic<std::uint64_t>, kCapacity> events_{};
  std::atomic<bool> is_owned_{false};
};

}  // namespace fw::http
