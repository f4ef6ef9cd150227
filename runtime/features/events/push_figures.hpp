// What is counted of the event streams and the sockets of a route (docs/metrics.md).
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace fw::detail {

/// Thread-safe.
struct PushFigures {
  std::atomic<std::int64_t> open = 0;
  std::atomic<std::uint64_t> sent = 0;      ///< events or messages that were queued for clients
  std::atomic<std::uint64_t> received = 0;  ///< messages of clients
  std::atomic<std::uint64_t> dropped = 0;   ///< of those sent, because their client was too slow

  /// An open stream or socket, until `end`.
  class Open {
   public:
    explicit Open(PushFigures& figures) : figures_(&figures) { ++figures_->open; }
    ~Open() { end(); }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

    /// From now on, it is not open. May be called repeatedly.
    void end() noexcept {
      if (figures_ != nullptr) --std::exchange(figures_, nullptr)->open;
    }

   private:
    PushFigures* figures_;
  };
};

}  // namespace fw::detail
