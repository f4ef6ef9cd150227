// The client of an open socket, without a connection.
#pragma once

#include <fairway/testing.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/websocket/frames.hpp"
#include "http/websocket/socket_session.hpp"
#include "testing/memory_transaction.hpp"

namespace fw::testing {

/// Used by one thread, which also runs the functions of messages; the application sends from any.
class SocketReader {
 public:
  /// `transaction` has responded. If it is null or has no socket, neither has the reader.
  explicit SocketReader(std::shared_ptr<MemoryTransaction> transaction);
  ~SocketReader() { disconnect(); }
  SocketReader(const SocketReader&) = delete;
  SocketReader& operator=(const SocketReader&) = delete;

  /// Returns after the functions for the message have returned.
  void send(http::websocket::Opcode opcode, std::string_view payload);
  /// The next message; nothing at the end. Throws std::runtime_error after the timeout.
  std::optional<TestMessage> next(std::chrono::milliseconds timeout);
  void close(int code, std::string_view reason);
  void disconnect();
  const std::optional<CloseReason>& closed() const { return closed_; }

 private:
  class Waker;

  struct Frame {
    http::websocket::Opcode opcode;
    std::string payload;
  };

  bool is_open() const { return session_ != nullptr; }
  void receive(std::string_view bytes);
  void run_handlers();
  std::optional<Frame> take_frame();
  bool produce();
  void stop_reading();
  void take_close(std::string_view payload);
  void finish();

  const std::shared_ptr<MemoryTransaction> transaction_;
  const std::shared_ptr<Waker> waker_;
  std::shared_ptr<http::SocketPeer> peer_;
  std::unique_ptr<http::websocket::SocketSession> session_;  ///< null at the end
  std::string frames_;                                       ///< of the application, not read
  std::optional<CloseReason> closed_;
};

}  // namespace fw::testing
