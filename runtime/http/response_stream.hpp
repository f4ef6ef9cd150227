// A body that is made while it is sent.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string_view>

#include "http/adapter.hpp"
#include "http/response_head.hpp"

namespace fw::http {

/// Kept by its connection until all has been sent, so that a slow client takes no thread.
class ResponseStream {
 public:
  enum class State {
    more,
    complete,  ///< nothing follows
    broken,    ///< what follows will never come
  };

  /// `end` says what tells the client where the body ends. `before_last` is called when nothing is
  /// left to be made, before the last bytes are sent.
  ResponseStream(BodyEnd end, std::optional<std::uint64_t> length, BodyProducer produce,
                 std::function<void()> before_last, StreamEnd ended);
  /// Tells `ended`.
  ~ResponseStream();
  ResponseStream(const ResponseStream&) = delete;
  ResponseStream& operator=(const ResponseStream&) = delete;

  /// Makes the next bytes, framed for the wire, in a buffer of the calling thread. Nothing once the
  /// state is no longer `more`.
  std::string_view next();
  State state() const { return state_; }
  /// Whether a client takes the end of the connection for the end of the body.
  bool ends_with_connection() const { return end_ == BodyEnd::connection_close; }

 private:
  std::string_view finish(State state, std::string_view last);

  const BodyEnd end_;
  std::optional<std::uint64_t> remaining_;
  const BodyProducer produce_;
  const std::function<void()> before_last_;
  const StreamEnd ended_;
  State state_ = State::more;
  std::exception_ptr error_;
};

}  // namespace fw::http
