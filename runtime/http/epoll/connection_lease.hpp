// The ownership of a connection.
//
// Events of a connection come from several threads: workers that poll epoll, the sweep that checks
// deadlines, the thread that stops the server, and threads that respond to requests. One thread or
// one transaction at a time owns the connection, and no thread waits for another: events that
// arrive while it is owned are counted, and the owner checks the count before it releases the
// connection.
//
//     free ── acquire() is true ──► thread ─── request begins ─────► transaction
//      ▲ ▲                           │     ▲                         │          │
//      │ └── release() or post() ────┘     └─── a worker responded ──┘          │
//      └────────────── Connection::post() ◄──── another thread has finished ────┘
//
// free         No thread owns it.
// thread       The owner is a worker, the stopping thread or the monitor that rejects late requests
//              (all call Connection::advance in EpollAdapter::run until there is nothing to do),
//              the sweep (it frees memory and calls Connection::post), or any thread that sends for
//              a socket (Connection::flush_socket, which leaves everything else to a worker).
//              `release(events)` fails if there were events since the owner read `events`.
// transaction  Begins when a request can be handled: its head is complete, its body too if it is
//              received in advance, and the operation that RequestPlan::prepare has started, if
//              any, has ended. Ends with the response. Up to three threads share it: the worker
//              that runs the handler, the thread that responds, and the one that reads the body. If
//              the handler's worker responds, and no other thread is reading the body, that worker
//              keeps the connection. Otherwise Connection::post is called by the thread that
//              responds or by the one that reads the body, whichever finishes last.
// queue        A worker's turn with the connection is over (Connection::yield), or its handshake
//              waits for its turn (HandshakeQueue). The worker that takes its event from the queue
//              of ready connections is the next owner.
//
// Connection::post frees the connection and wakes a worker for it.
//
// A connection ends when `advance` returns `closed`: the thread removes it from the table. At the
// end of a stop, all connections are removed and cut off, whoever owns them. Workers can no longer
// find a removed connection, so Connection::post, after it has freed the connection, acquires it
// again and closes it instead of waking a worker. Connection::flush_socket does not: the stopping
// thread waits for it and closes the connection.
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

  /// The same for an owner that handles no events: frees the connection unless there were others
  /// since `acquire`, which are for a worker.
  bool release_unread() { return release(1); }

  /// Frees the connection even if there were events. The caller must wake a worker for it.
  void release_unconditionally() {
    seen_ = 0;
    events_.store(0);
  }

 private:
  std::atomic<std::uint32_t> events_{0};  ///< events since it was last free; 0 while it is free
  std::uint32_t seen_ = 0;                ///< the number of events at the last `read_events`
};

}  // namespace fw::http
