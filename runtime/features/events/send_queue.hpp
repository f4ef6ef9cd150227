// What waits for a slow client of an event stream or a socket, with the bound that the route
// declares.
#pragma once

#include <fairway/units.hpp>

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "features/events/published_bytes.hpp"
#include "features/events/push_figures.hpp"

namespace fw::detail {

/// `queue` and `overflow` of the options.
struct QueuePolicy {
  enum class Overflow : std::uint8_t { close, drop_oldest, coalesce };

  QueuePolicy(const ByteSize& queue, std::string_view overflow_name);

  std::size_t limit;  ///< bytes
  Overflow overflow;
};

/// The bytes of an item: its own, or shared with the queues of other clients.
class QueuedBytes {
 public:
  QueuedBytes(std::string own) : own_(std::move(own)) {}
  QueuedBytes(SharedBytes shared) : shared_(std::move(shared)) {}

  std::string_view view() const {
    if (shared_) return *shared_;
    return own_;
  }
  std::size_t size() const { return view().size(); }
  /// Moves them to the end of `bytes`, without a copy if they are its own and `large`.
  void append_to(std::string& bytes, std::size_t large) {
    if (bytes.empty() && !shared_ && own_.size() >= large) {
      bytes.swap(own_);
    } else {
      bytes += view();
    }
  }

 private:
  std::string own_;
  SharedBytes shared_;  ///< null: they are its own
};

/// Not thread-safe. The policy and the figures must outlive it.
class SendQueue {
 public:
  /// Counts what it drops in the figures.
  SendQueue(const QueuePolicy& policy, PushFigures& figures) : policy_(policy), figures_(figures) {}

  /// What an item takes beside its bytes.
  static constexpr std::size_t kOverhead = 64;

  /// Whether an item of that size can ever be in the queue.
  static bool is_possible(std::size_t size, const QueuePolicy& policy) {
    return size + kOverhead <= policy.limit;
  }

  enum class Room : std::uint8_t {
    made,
    none,      ///< the rest of an item that was taken in part needs it
    too_slow,  ///< the client must be disconnected
    untried    ///< the same, because the server has not sent for too long
  };
  /// Makes room for an item of that size. It may replace items with the same `key`.
  Room make_room(std::size_t size, const void* key);
  /// The client accepts nothing until the next `take`. Before that, it is not slow: what the server
  /// has not tried to send may be more than the limit.
  void note_blocked() { is_blocked_ = true; }
  bool is_blocked() const { return is_blocked_; }
  /// Whether more waits than the limit allows, because the server has not tried to send it.
  bool is_over_limit() const { return memory() > policy_.limit; }
  /// Whether the client must be disconnected, after `note_blocked`.
  bool is_too_slow() const {
    return policy_.overflow == QueuePolicy::Overflow::close && is_blocked_ && is_over_limit();
  }
  /// Regardless of the limit.
  void append(QueuedBytes bytes, const void* key);
  void count_dropped() {
    ++dropped_;
    figures_.dropped.fetch_add(1, std::memory_order_relaxed);
  }

  /// Takes bytes up to the size of the buffer; returns their number.
  std::size_t take(std::span<char> buffer);
  /// Appends whole items until there are at least `about` bytes.
  void take_items(std::string& bytes, std::size_t about);

  bool empty() const { return items_.empty(); }
  /// Bytes that have not been taken.
  std::size_t pending() const { return pending_; }
  /// The memory of the items.
  std::size_t memory() const { return pending_ + kOverhead * items_.size(); }
  std::uint64_t dropped() const { return dropped_; }
  void clear();

 private:
  struct Item {
    QueuedBytes bytes;
    const void* key;  ///< null: nothing replaces it
  };

  bool fits(std::size_t size, std::size_t times = 1) const {
    return pending_ + size + kOverhead * (items_.size() + 1) <= times * policy_.limit;
  }
  std::list<Item>::iterator drop(std::list<Item>::iterator item);

  const QueuePolicy& policy_;
  PushFigures& figures_;
  std::list<Item> items_;
  std::size_t taken_ = 0;  ///< bytes of the first item
  std::size_t pending_ = 0;
  std::uint64_t dropped_ = 0;
  bool is_blocked_ = false;
};

}  // namespace fw::detail
