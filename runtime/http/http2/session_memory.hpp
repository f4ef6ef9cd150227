// What a connection of HTTP/2 keeps in memory for its client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "http/buffer_budget.hpp"
#include "http/epoll/sweep_state.hpp"
#include "http/http2/http2_stream.hpp"

namespace fw::http {

class FrameOutput;

/// With the lock of the session.
class SessionMemory {
 public:
  SessionMemory(BufferBudget& budget, TransferMeter& transfer)
      : heads_share_(budget), transfer_(transfer) {}

  /// Counts the head of a request, which HPACK lets a client make much larger than what it sends.
  /// Returns false without a change if the budget is exceeded.
  [[nodiscard]] bool add_head(std::size_t size);
  void remove_head(std::size_t size);

  void note_received(std::size_t size) { received_ += size; }
  /// Tells the sweep how much memory the connection uses, and how fast its client is.
  void report(const Http2Streams& streams, const FrameOutput& output, std::int64_t now);
  /// The streams that wait for their client and take much memory, each or together.
  static std::vector<std::shared_ptr<Http2Stream>> streams_to_shed(const Http2Streams& streams);

  /// Less memory is not worth the loss of a request.
  static constexpr std::size_t kMinShed = 16 * 1024;

 private:
  BufferBudget::Share heads_share_;
  std::size_t heads_ = 0;  ///< bytes
  TransferMeter& transfer_;
  std::uint64_t received_ = 0;       ///< bytes
  std::int64_t buffered_since_ = 0;  ///< much is in memory; 0: little
  std::uint64_t buffered_from_ = 0;  ///< bytes that were transferred before
};

}  // namespace fw::http
