// Reads the body of an open stream as a client would.
#pragma once

#include <fairway/testing.hpp>

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/event_parser.hpp"
#include "http/adapter.hpp"

namespace fw::testing {

/// Used by one thread; the application sends from any.
class StreamReader {
 public:
  /// Null: there is no stream.
  StreamReader(std::shared_ptr<http::PushedBody> body, bool are_lines);
  ~StreamReader() { disconnect(); }
  StreamReader(const StreamReader&) = delete;
  StreamReader& operator=(const StreamReader&) = delete;

  /// The next event; nothing at the end. Throws std::runtime_error after the timeout.
  std::optional<TestEvent> next(std::chrono::milliseconds timeout);
  /// What has been sent and not read, as bytes; then disconnects.
  std::string take_all();
  void disconnect();

 private:
  class Waker;

  std::string_view take();
  void end(bool is_complete);

  std::shared_ptr<http::PushedBody> body_;  ///< null at the end
  const std::shared_ptr<Waker> waker_;
  base::EventParser parser_;
  std::deque<TestEvent> events_;
  std::string part_;
};

}  // namespace fw::testing
