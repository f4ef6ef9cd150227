// A connection as cpp-httplib reads it, with the time and size limits of the server.
#pragma once

#include <httplib.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/adapter.hpp"
#include "http/socket.hpp"

namespace fw::http {

/// Unlike the stream that httplib makes for each request, it keeps what a client has sent ahead,
/// and it takes descriptors of any number. One thread uses it, except where a function says so.
class SocketStream : public httplib::Stream {
 public:
  enum class Failure { none, closed, timed_out, head_too_large };

  /// A client that pauses does not hold up a server that is stopping.
  SocketStream(FileDescriptor socket, const AdapterOptions& options,
               const std::atomic<bool>& is_stopping);

  /// Waits for the first byte of a request. False if none comes within `timeout`.
  bool wait_for_request(std::chrono::milliseconds timeout);
  /// What httplib has read of the head.
  std::string_view head() const { return head_; }
  /// What is read from here on is the body of the request.
  void begin_body();
  /// Reads a body of `size` bytes; false if it does not come.
  bool skip_body(std::uint64_t size);
  /// Why reading failed, if it did.
  Failure failure() const { return failure_; }
  /// Bytes that have been received and not read.
  std::size_t buffered() const { return end_ - begin_; }
  int fd() const { return socket_.get(); }
  const std::string& remote_address() const { return remote_address_; }

  /// Sends all, waiting for the client; false if it is gone or too slow.
  bool send(std::string_view bytes);
  /// The end of the connection tells the end of the response: what breaks off must look different.
  void end_response_by_close() { response_ends_by_close_ = true; }
  /// Ends the connection: gently, so that the client can still read all that was sent, or so that
  /// it can tell that something is missing.
  void close(bool is_whole);

  // From any thread.

  /// Nothing more is read.
  void end_reading() { reading_has_ended_ = true; }
  /// Nothing more is read or sent.
  void cut_off();
  bool is_cut_off() const { return is_cut_off_; }
  /// Whether the server is.
  bool is_stopping() const { return is_stopping_; }

  // Of httplib::Stream. None says `override`: which of them are virtual depends on the version.
  bool is_readable() const { return true; }
  bool wait_readable() const { return true; }
  bool is_writable() const { return true; }
  bool wait_writable() const { return true; }
  bool is_peer_alive() const { return failure_ == Failure::none; }
  time_t duration() const { return 0; }
  ssize_t read(char* data, size_t size);
  /// Drops what httplib makes of its own, empty response: transactions send theirs.
  ssize_t write(const char*, size_t size) { return static_cast<ssize_t>(size); }
  void get_remote_ip_and_port(std::string&, int&) const {}
  void get_local_ip_and_port(std::string&, int&) const {}
  /// httplib only compares it with FD_SETSIZE, for a `select` that is not used here.
  socket_t socket() const { return 0; }

 private:
  bool receive_more();
  std::int64_t read_deadline() const;

  FileDescriptor socket_;
  const AdapterOptions& options_;
  const std::atomic<bool>& is_stopping_;
  const std::string remote_address_;
  std::array<char, 8 * 1024> input_;
  std::size_t begin_ = 0;  ///< of what has been received and not read
  std::size_t end_ = 0;
  Failure failure_ = Failure::none;
  std::atomic<bool> reading_has_ended_ = false;
  std::atomic<bool> is_cut_off_ = false;
  std::atomic<bool> response_ends_by_close_ = false;

  std::string head_;
  bool is_head_ = true;          ///< what is being read
  std::size_t read_ = 0;         ///< bytes of it
  std::int64_t read_since_ = 0;  ///< by `coarse_now`
  std::int64_t received_at_ = 0;
  std::size_t sent_ = 0;                ///< bytes of responses
  std::int64_t waited_for_client_ = 0;  ///< milliseconds, to send them
};

}  // namespace fw::http
