// Messages to and from another process.
#pragma once

#include <functional>
#include <string>

#include "process/event_loop.hpp"
#include "rpc/json_rpc.hpp"

namespace fairway::rpc {

/// Never waits: what the other side does not read yet is kept, so that messages from it are read
/// nevertheless.
class MessageConnection {
 public:
  using Received = std::function<void(const std::string& content)>;

  /// `input` and `output` may be equal, and stay the caller's to close. `ended` is called when the
  /// other side has closed the connection; it may destroy the object, `received` must not.
  MessageConnection(process::EventLoop& loop, int input, int output, Framing framing,
                    Received received, std::function<void()> ended);
  ~MessageConnection();
  MessageConnection(const MessageConnection&) = delete;
  MessageConnection& operator=(const MessageConnection&) = delete;

  void send(const Json& message);
  /// Stops reading, also within `received` and `ended`.
  void close();
  /// Waits until everything is sent, as long as the other side reads.
  void flush();

 private:
  void watch();
  void ready(short events);
  bool read_some();
  bool write_some();

  process::EventLoop& loop_;
  int input_;
  int output_;
  Framing framing_;
  Received received_;
  std::function<void()> ended_;
  MessageReader reader_;
  std::string unsent_;
  bool is_open_ = true;
};

}  // namespace fairway::rpc
