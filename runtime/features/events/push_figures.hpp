// What is counted of the event streams and the sockets of a route (docs/metrics.md).
#pragma once

#include <atomic>
#include <cstdint>

namespace fw::detail {

/// Thread-safe.
struct PushFigures {
  std::atomic<std::int64_t> open = 0;
  std::atomic<std::uint64_t> sent = 0;      ///< events or messages that were queued for clients
  std::atomic<std::uint64_t> received = 0;  ///< messages of clients
  std::atomic<std::uint64_t> dropped = 0;   ///< of those sent, because their client was too slow

  /// An open stream or socket, as long as this exists.
  class Open {
   public:
    explicit Open(PushFigures& figures) : figures_(figures) { ++figures_.open; }
    ~Open() { --figures_.open; }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

   private:
    PushFigures& figures_;
  };
};

}  // namespace fw::detail
