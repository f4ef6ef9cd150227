// Reads the body of an open stream as a client would.
#pragma once

#include <fairway/testing.hpp>

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/adapter.hpp"

namespace fw::testing {

/// Splits a stream into events (WHATWG HTML, 9.2.6), or into lines of JSON.
class EventParser {
 public:
  explicit EventParser(bool are_lines) : are_lines_(are_lines) {}

  /// The events that these bytes complete.
  void feed(std::string_view bytes, std::deque<TestEvent>& events);

 private:
  void take_line(std::string_view line, std::deque<TestEvent>& events);

  const bool are_lines_;
  std::string rest_;  ///< of a line
  bool has_ended_by_cr_ = false;
  std::string name_;
  std::string id_;  ///< of the last event that had one
  std::optional<std::chrono::milliseconds> retry_;
  std::string data_;
  bool has_data_ = false;
};

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
  EventParser parser_;
  std::deque<TestEvent> events_;
  std::string part_;
};

}  // namespace fw::testing
