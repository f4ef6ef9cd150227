// What a connection has received and not used yet.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/buffer_budget.hpp"
#include "http/socket.hpp"

namespace fw::http {

/// Small between requests: idle connections hold no memory for what they may receive.
class InputBuffer {
 public:
  explicit InputBuffer(BufferBudget& budget) : share_(budget) {}

  std::string_view bytes() const { return std::string_view(bytes_).substr(begin_); }
  void consume(std::size_t size);

  /// Appends what the socket has. `closed`: the peer sends no more, or the connection broke.
  IoStatus receive(int fd, bool peer_closed);
  /// Receives what the socket has and throws it away.
  static Received discard(int fd);
  /// False once the socket was empty; new bytes cause an event.
  bool may_have_more() const { return may_have_more_; }
  void note_event() { may_have_more_ = true; }

  /// Has what waits here while a response is sent counted, if it is much: requests that the client
  /// has sent ahead. False if the budget has no room for that.
  [[nodiscard]] bool count_as_waiting();

 private:
  BufferBudget::Share share_;
  std::string bytes_;
  std::size_t begin_ = 0;
  bool may_have_more_ = true;
};

}  // namespace fw::http
