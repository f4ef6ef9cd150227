// A connection as cpp-httplib reads and writes it, with the time and size limits of the server.
#pragma once

#include <httplib.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/adapter.hpp"
#include "http/socket.hpp"

namespace fw::http {

/// Unlike the stream that httplib makes for each request, it keeps what a client has sent ahead,
/// and it takes descriptors of any number. One thread uses it.
class SocketStream : public httplib::Stream {
 public:
  enum class Failure { none, closed, timed_out, head_too_large };

  SocketStream(FileDescriptor socket, const AdapterOptions& options);

  /// Waits for the first byte of a request. False if none comes within `timeout`.
  bool wait_for_request(std::chrono::milliseconds timeout);
  /// Those of the head that httplib has read.
  std::string_view field_lines() const;
  /// What is read from here on is the body of the request.
  void begin_body();
  /// What is written from here on is the response.
  void begin_response();
  /// Why reading or writing failed, if it did.
  Failure failure() const { return failure_; }
  /// Bytes that have been received and not read.
  std::size_t buffered() const { return end_ - begin_; }
  int fd() const { return socket_.get(); }
  const std::string& remote_address() const { return remote_address_; }

  /// Ends the connection so that the client can still read all that was sent.
  void close_gently();
  /// Ends it so that the client can tell that something is missing.
  void reset();

  // Of httplib::Stream. None says `override`: which of them are virtual depends on the version.
  bool is_readable() const;
  bool wait_readable() const { return true; }
  bool is_writable() const { return true; }
  bool wait_writable() const { return true; }
  bool is_peer_alive() const { return failure_ == Failure::none; }
  time_t duration() const { return 0; }
  ssize_t read(char* data, size_t size);
  ssize_t write(const char* data, size_t size);
  void get_remote_ip_and_port(std::string& ip, int& port) const;
  void get_local_ip_and_port(std::string& ip, int& port) const;
  /// httplib only compares it with FD_SETSIZE, for a `select` that is not used here.
  socket_t socket() const { return 0; }

 private:
  bool receive_more();
  std::int64_t read_deadline() const;

  FileDescriptor socket_;
  const AdapterOptions& options_;
  const std::string remote_address_;
  std::array<char, 8 * 1024> input_;
  std::size_t begin_ = 0;  ///< of what has been received and not read
  std::size_t end_ = 0;
  Failure failure_ = Failure::none;

  std::string head_;
  bool is_head_ = true;          ///< what is being read
  std::size_t read_ = 0;         ///< bytes of it
  std::int64_t read_since_ = 0;  ///< by `coarse_now`
  std::size_t written_ = 0;      ///< bytes of the response
  std::int64_t written_since_ = 0;
};

}  // namespace fw::http
