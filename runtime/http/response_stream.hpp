// A body that is produced while it is sent.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "http/adapter.hpp"
#include "http/response_head.hpp"

namespace fw::http {

/// Stored in its connection until everything has been sent, so that a slow client occupies no
/// thread.
class ResponseStream {
 public:
  enum class State {
    more,
    waiting,   ///< a pushed body has nothing at the moment
    complete,  ///< everything was produced
    broken,    ///< the rest cannot be produced
  };

  /// `end` is the way in which the end of the body is marked. `before_last` is called after the
  /// last bytes were produced and before they are sent, not if the rest cannot be produced. `ended`
  /// is called with the exception of `produce` at once.
  ResponseStream(BodyEnd end, std::optional<std::uint64_t> length, BodyProducer produce,
                 std::function<void()> before_last, StreamEnd ended);
  /// Streams a file, whose length the head announces.
  ResponseStream(FilePart file, std::function<void()> before_last, StreamEnd ended);
  /// Streams a pushed body.
  ResponseStream(BodyEnd end, std::shared_ptr<PushedBody> body, std::function<void()> before_last);
  /// Calls `ended`, unless it was called, or ends the pushed body.
  ~ResponseStream();
  ResponseStream(const ResponseStream&) = delete;
  ResponseStream& operator=(const ResponseStream&) = delete;

  /// Produces the next bytes with their framing in a buffer of the calling thread. Empty if the
  /// state has become `waiting`, or was neither this nor `more`.
  std::string_view next();
  State state() const { return state_; }

  /// Null if it is none.
  PushedBody* pushed() const { return pushed_.get(); }
  /// The heartbeat of a pushed body that waits; may be empty.
  std::string_view heartbeat() const;

  /// The rest of the file; null if the stream is not a file, or if `next` returns its bytes.
  const FilePart* file() const { return file_ ? &*file_ : nullptr; }
  /// To be called before up to so many bytes of the file are sent, and after `sent` have been.
  void before_file_bytes(std::uint64_t size);
  void count_file_bytes(std::uint64_t sent);
  /// The file cannot be sent as such: `next` reads the rest.
  void read_file();
  /// The file has become shorter.
  void break_off();

  /// Whether the end of the connection marks the end of the body.
  bool ends_with_connection() const { return end_ == BodyEnd::connection_close; }

 private:
  void report_end() noexcept;
  std::string_view finish(State state, std::string_view last);
  std::string_view next_pushed();

  const BodyEnd end_;
  std::optional<std::uint64_t> remaining_;
  BodyProducer produce_;
  std::optional<FilePart> file_;
  const std::shared_ptr<PushedBody> pushed_;
  const std::function<void()> before_last_;
  StreamEnd ended_;  ///< empty after its call
  State state_ = State::more;
  std::exception_ptr error_;
};

}  // namespace fw::http
