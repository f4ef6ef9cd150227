// The bound on what a worker does for a connection before it handles others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "http/socket.hpp"

namespace fw::http {

/// The turn of a connection: its worker handles requests that the client has pipelined until the
/// turn is over. The connection then goes to the end of the queue of ready connections, so that a
/// client delays others by at most one turn, however fast it sends.
class Turn {
 public:
  /// A large body or response ends its turn after this number of bytes.
  static constexpr std::size_t kMaxTransferred = 1024 * 1024;
  /// Requests, and parts of a body that takes time to produce, end it after this time.
  static constexpr std::int64_t kMax = 5;  ///< milliseconds

  /// `is_queued`: the connection has waited in the queue for it.
  void begin(bool is_queued) {
    is_queued_ = is_queued;
    requests_ = 0;
    input_ = 0;
    is_exhausted_ = false;
  }
  void note_request() {
    // Most turns have one request, for which no clock is read.
    if (++requests_ == 2) began_ = coarse_now();
  }
  void note_input(std::size_t size) { input_ += size; }

  /// The client sends far more bytes than data.
  void note_overhead() { is_exhausted_ = true; }
  bool is_queued() const { return is_queued_; }
  /// Whether nothing else may be received.
  bool is_exhausted() const { return is_exhausted_; }

  /// Whether the next request must wait.
  bool is_over() const {
    if (requests_ == 0) return false;
    if (requests_ >= kMaxRequests || input_ >= kMaxInput) return true;
    return requests_ > 1 && coarse_now() - began_ >= kMax;
  }

 private:
  static constexpr std::size_t kMaxRequests = 32;
  static constexpr std::size_t kMaxInput = 64 * 1024;

  bool is_queued_ = false;
  bool is_exhausted_ = false;
  std::size_t requests_ = 0;
  std::size_t input_ = 0;  ///< bytes of heads and bodies
  std::int64_t began_ = 0;
};

/// The time that the parts of a response take to produce. A response for which it is as long as a
/// turn is slow, such as a large file that is compressed: its next part comes after what others
/// wait for, as far as there is not too much of it.
class ProductionTime {
 public:
  void add(std::int64_t milliseconds) { total_ += milliseconds; }
  /// The source has waited, as one of events does, or there is another response.
  void restart() { total_ = 0; }
  bool is_slow() const { return total_ >= Turn::kMax; }

 private:
  std::int64_t total_ = 0;
};

}  // namespace fw::http
