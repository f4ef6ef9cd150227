// The ownership of a connection.
//
// Events of a connection come from several threads: workers that poll epoll, the sweep that checks
// deadlines, the thread that stops the server, and a thread that responds to a request. Only one
// thread at a time owns the connection, and no thread waits for another: events that arrive while
// it is owned are counted, and the owner checks the count before it releases the connection.
//
//     free ── acquire() is true ──► worker ─── head complete ──────► transaction
//      ▲ ▲                           │     ▲                         │          │
//      │ └── release() is true ──────┘     └── the worker responded ─┘          │
//      └──────── post(): free, a worker is woken ◄── another thread has finished ┘
//
// free         There were no events since the last owner checked.
// worker       EpollAdapter::drive calls Connection::advance until there is nothing to do.
//              `release(events)` fails if there were events since it read `events`.
// transaction  From the end of the request head to the end of the response. Up to three threads
//              take part: the worker in the handler, the thread that responds, and the one that
//              reads the body. If the body is being read when the response is complete, the reader
//              posts the connection when it has finished. Otherwise the thread that responds posts
//              it, unless this is the worker, which continues with the connection.
//
// A connection ends while a worker owns it: `advance` returns `closed`, and the worker removes it
// from the table. After a stop, workers no longer poll, so a thread that posts a connection
// acquires and closes it itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace fw::http {

class ConnectionLease {
 public:
  /// Records an event. Returns true if the connection was free; the caller then owns it.
  bool acquire() { return events_.fetch_add(1) == 0; }

  struct Events {
    std::uint32_t count;   ///< the argument of `release`
    std::uint32_t unseen;  ///< events since the last `read_events` of this owner
  };
  /// Called by the owner before it handles events.
  Events read_events() {
    const auto events = events_.load(std::memory_order_acquire);
    return {events, events - std::exchange(seen_, events)};
  }

  /// Frees the connection unless there were events since `events` was read.
  bool release(std::uint32_t events) {
    seen_ = 0;
    return events_.compare_exchange_strong(events, 0, std::memory_order_acq_rel);
  }

  /// Frees the connection even if there were events. The caller must wake a worker for it.
  void drop() {
    seen_ = 0;
    events_.store(0);
  }

 private:
  std::atomic<std::uint32_t> events_{0};  ///< events since the connection was free; 0 if it is
  std::uint32_t seen_ = 0;                ///< the number of events at the last `read_events`
};

}  // namespace fw::http
