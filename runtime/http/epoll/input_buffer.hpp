// The unread input of a connection.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/buffer_budget.hpp"
#include "http/socket.hpp"
#include "http/transport.hpp"

namespace fw::http {

/// Frees its memory between requests, so that idle connections use little.
class InputBuffer {
 public:
  /// Maximum number of bytes to receive at once.
  static constexpr std::size_t kReceiveSize = 64 * 1024;
  /// The same while there is no complete head, because requests that a client has pipelined wait in
  /// memory.
  static constexpr std::size_t kMaxForHead = 16 * 1024;

  explicit InputBuffer(BufferBudget& budget) : share_(budget) {}

  std::string_view bytes() const { return std::string_view(bytes_).substr(begin_); }
  void consume(std::size_t size);
  /// Frees the memory that `consume` keeps for the next request, if nothing is unread.
  void free_spare();

  /// Appends the available bytes of the socket, at most `most`. `closed`: the peer has closed its
  /// side, or the connection failed.
  IoStatus receive(Transport& transport, bool peer_closed, std::size_t most = kReceiveSize);
  /// Receives the available bytes of the socket and discards them.
  static Received discard(int fd);
  /// False once the socket was empty; new bytes cause an event.
  bool may_have_more() const { return may_have_more_; }
  void note_event() { may_have_more_ = true; }

  /// Counts pipelined requests as buffered memory while a response is sent, if they are large.
  /// Returns false if the budget is exceeded.
  [[nodiscard]] bool count_as_waiting();

 private:
  BufferBudget::Share share_;
  std::string bytes_;
  std::size_t begin_ = 0;
  bool may_have_more_ = true;
};

}  // namespace fw::http
