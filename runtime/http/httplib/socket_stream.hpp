// A connection for cpp-httplib, with the time and size limits of the server.
#pragma once

#include <httplib.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/adapter.hpp"
#include "http/httplib/handshake_turns.hpp"
#include "http/socket.hpp"
#include "http/transport.hpp"

namespace fw::http {

/// Unlike the stream that httplib creates for each request, it keeps pipelined requests, and
/// supports descriptors above FD_SETSIZE. Not thread-safe, except where a function says so.
class SocketStream : public httplib::Stream {
 public:
  enum class Failure { none, closed, timed_out, head_too_large };

  /// Clients that pause do not delay a server that is stopping.
  SocketStream(Transport transport, const AdapterOptions& options,
               const std::atomic<bool>& is_stopping);

  /// Performs the handshake of TLS, if there is one. Returns false if it fails, or is not complete
  /// within `timeout`. Without TLS on the client's side, there is none: see
  /// `Transport::is_cleartext_for_tls`.
  bool shake_hands(HandshakeTurns& turns, std::chrono::milliseconds timeout);
  /// Waits for the first byte of a request. Returns false if none arrives within `timeout`.
  bool wait_for_request(std::chrono::milliseconds timeout);
  /// The part of the head that httplib has read.
  std::string_view head() const { return head_; }
  /// Bytes that are read from now on belong to the body of the request.
  void begin_body();
  /// Received and not read; `consume` reads it, `receive_more` adds to it.
  std::string_view input() const { return {input_.data() + begin_, end_ - begin_}; }
  void consume(std::size_t size);
  /// Waits for bytes; false if none come in time: see `failure`.
  bool receive_more(
      std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max());
  /// So many milliseconds are not the client's delay.
  void excuse(std::int64_t milliseconds) { read_since_ += milliseconds; }
  /// Reads and discards a body of `size` bytes; returns false if it does not arrive.
  bool skip_body(std::uint64_t size);
  /// The reason for a failed read.
  Failure failure() const { return failure_; }
  /// The number of received bytes that were not read.
  std::size_t buffered() const { return end_ - begin_; }
  int fd() const { return transport_.fd(); }
  const Transport& transport() const { return transport_; }
  const std::string& remote_address() const { return remote_address_; }

  /// Sends the bytes that the client accepts at once, and returns their number. Unless that is all,
  /// the rest must follow, or nothing.
  std::size_t send_some(std::string_view bytes);
  /// Sends all bytes and waits for the client; returns false if it has disconnected or is too slow.
  bool send(std::string_view bytes);
  /// Tells the client that everything has been sent.
  void end_output();
  /// The end of the connection marks the end of the response, so an incomplete response must end
  /// with a reset.
  void end_response_by_close() { response_ends_by_close_ = true; }
  /// Ends the connection, before it is destroyed. If `is_whole`, lets the client read everything
  /// that was sent; otherwise the client notices that data is missing, because the connection is
  /// reset or, with TLS, its end is not announced.
  void close(bool is_whole);

  // Thread-safe:

  /// Makes further reads fail.
  void end_reading() { reading_has_ended_ = true; }
  /// Makes further reads and writes fail.
  void cut_off();
  bool is_cut_off() const { return is_cut_off_; }
  /// Whether the server is stopping.
  bool is_stopping() const { return is_stopping_; }

  // Functions of httplib::Stream, without `override`, because the set of virtual functions depends
  // on the version.
  bool is_readable() const { return true; }
  bool wait_readable() const { return true; }
  bool is_writable() const { return true; }
  bool wait_writable() const { return true; }
  bool is_peer_alive() const { return failure_ == Failure::none; }
  time_t duration() const { return 0; }
  ssize_t read(char* data, size_t size);
  /// Discards the empty response of httplib, because transactions send their own.
  ssize_t write(const char*, size_t size) { return static_cast<ssize_t>(size); }
  void get_remote_ip_and_port(std::string&, int&) const {}
  void get_local_ip_and_port(std::string&, int&) const {}
  /// httplib only compares the result with FD_SETSIZE for a `select` that is not used here.
  socket_t socket() const { return 0; }

 private:
  IoStatus receive();
  bool wait_for_client(std::int64_t until);
  std::int64_t read_deadline() const;

  Transport transport_;
  const AdapterOptions& options_;
  const std::atomic<bool>& is_stopping_;
  const std::string remote_address_;
  std::array<char, 24 * 1024> input_;  ///< room for the longest line of a chunked body
  std::size_t begin_ = 0;              ///< begin of the received bytes that were not read
  std::size_t end_ = 0;
  bool may_have_more_ = false;  ///< the socket may be empty, but the transport is not
  bool output_has_ended_ = false;
  Failure failure_ = Failure::none;
  std::atomic<bool> reading_has_ended_ = false;
  std::atomic<bool> is_cut_off_ = false;
  std::atomic<bool> response_ends_by_close_ = false;

  std::string head_;
  bool is_head_ = true;          ///< whether the head is being read
  std::size_t read_ = 0;         ///< bytes of the head or the body
  std::int64_t read_since_ = 0;  ///< by `coarse_now`
  std::int64_t received_at_ = 0;
  std::size_t sent_ = 0;                ///< bytes of responses
  std::int64_t waited_for_client_ = 0;  ///< milliseconds that were spent to send them
};

}  // namespace fw::http
