// Who may use a connection.
//
// Many threads have events for a connection: workers that get one from epoll, the sweep that looks
// at deadlines, a stop, a thread that responds to its request. One of them at a time owns it, and
// none waits for another: events that come meanwhile are counted, and the owner looks again before
// it releases the connection.
//
//     free ── acquire() is true ──► a worker's ── head complete ──► a transaction's
//      ▲ ▲                           │     ▲                         │          │
//      │ └── release() is true ──────┘     └── the worker responded ─┘          │
//      └───────────── post(): free, and some worker is woken ◄── another thread ┘
//
// free           No events since the last owner looked. The socket, a deadline or a stop is next.
// a worker's     EpollAdapter::drive: it calls Connection::advance until there is nothing to do.
//                `release(events)` fails when there were events since it read `events`.
// a transaction's From the end of the request head to the end of the response. Three parties may be
//                at work: the worker in the handler, the thread that responds, and the
//                one that reads the body.
//                The last that needs the connection gives it on: a reader that is still reading and
//                a responder on another thread post it; otherwise the worker goes on with it.
//
// Connections end as a worker's: `advance` says `closed`, and the worker takes them out of the
// table. After a stop no worker polls any more: a thread that posts a connection acquires and
// closes it itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace fw::http {

class ConnectionLease {
 public:
  /// Notes an event. True if the connection was free: it is the caller's now.
  bool acquire() { return events_.fetch_add(1) == 0; }

  struct Look {
    std::uint32_t events;  ///< for `release`
    bool has_news;         ///< there were events since this owner looked last
  };
  /// The owner's, before it does what events ask for.
  Look look() {
    const auto events = events_.load(std::memory_order_acquire);
    return {events, events != std::exchange(seen_, events)};
  }

  /// Frees the connection unless there were events since `events` was read.
  bool release(std::uint32_t events) {
    seen_ = 0;
    return events_.compare_exchange_strong(events, 0, std::memory_order_acq_rel);
  }

  /// Frees the connection whatever has happened: the caller has a worker look at it.
  void drop() {
    seen_ = 0;
    events_.store(0);
  }

 private:
  std::atomic<std::uint32_t> events_{0};  ///< since the connection was free; 0: it is
  std::uint32_t seen_ = 0;                ///< the owner's: of these, as it looked last
};

}  // namespace fw::http
