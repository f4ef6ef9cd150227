// A client of HTTP/2 for the tests, with libnghttp2 on a blocking socket. Frames can also be sent
// as bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "loopback.hpp"

struct nghttp2_session;

namespace fw::http::test {

struct Http2Response : ReceivedResponse {
  bool has_head = false;
  bool has_continue = false;                ///< 100 came before
  bool is_closed = false;                   ///< the stream has ended, whether complete or not
  std::optional<std::uint32_t> reset = {};  ///< error code of RST_STREAM
};

struct Http2ClientOptions {
  bool reads_automatically = true;  ///< windows grow when data arrives
  std::uint32_t window = 65'535;    ///< of each stream at first
  int receive_buffer = 0;           ///< of the socket; 0: the system's
  /// The setting NO_RFC7540_PRIORITIES; absent: not sent.
  std::optional<std::uint32_t> no_old_priorities = 0;
};

class Http2Client {
 public:
  /// `open_channel`: null for cleartext.
  explicit Http2Client(std::uint16_t port, const Http2ClientOptions& options = {},
                       const std::function<std::unique_ptr<ClientChannel>(int)>& open_channel = {});
  ~Http2Client();
  Http2Client(const Http2Client&) = delete;
  Http2Client& operator=(const Http2Client&) = delete;

  /// Sends a request, and returns its stream. Its body is what `send_body` sends.
  std::int32_t begin(std::string_view method, std::string_view path, const Fields& fields = {},
                     bool has_body = false);
  void send_body(std::int32_t stream, std::string_view bytes, bool is_last = true);
  /// Ends a body whose bytes have been sent.
  void send_trailers(std::int32_t stream, const Fields& fields);
  std::int32_t get(std::string_view path) { return begin("GET", path); }
  void cancel(std::int32_t stream, std::uint32_t error_code = 8);
  /// Collects what is to be sent, until `send_held` sends it in one piece.
  void hold() { is_holding_ = true; }
  void send_held();
  /// Returns it instead, for a change.
  std::string take_held();
  /// Sends bytes without the library, which then does not know their streams.
  bool send_bytes(std::string_view bytes);
  static std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream,
                           std::string_view payload = {});

  /// Receives until the stream has ended, or the connection.
  Http2Response& wait(std::int32_t stream);
  Http2Response exchange(std::string_view path) { return wait(get(path)); }
  Http2Response& response(std::int32_t stream) { return streams_[stream].response; }
  /// Receives once; false at the end of the connection.
  bool receive();
  /// Receives until the condition holds; false at the end of the connection.
  bool receive_until(const std::function<bool()>& condition);
  /// Receives up to the end of the connection.
  void receive_all();
  /// Lets the server send so many more bytes.
  void enlarge_window(std::int32_t stream, std::int32_t size);

  /// The error code of GOAWAY.
  std::optional<std::uint32_t> goaway() const { return goaway_; }
  std::int32_t last_stream() const { return last_stream_; }
  std::size_t ping_acks() const { return ping_acks_; }
  std::uint32_t max_concurrent_streams() const;
  int fd() const { return socket_.fd(); }
  void close();

 private:
  friend struct ClientCallbacks;

  struct Stream {
    Http2Response response;
    std::string body;
    bool is_last = false;
    bool is_deferred = false;
  };

  void flush();
  void read_frames(std::string_view bytes);

  Client socket_;
  std::unique_ptr<ClientChannel> channel_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, Stream> streams_;
  std::optional<std::uint32_t> goaway_;
  std::int32_t last_stream_ = 0;
  std::size_t ping_acks_ = 0;
  bool is_over_ = false;
  bool is_holding_ = false;
  std::string held_;
  std::string frames_;  ///< received, and not read by `read_frames`
};

}  // namespace fw::http::test
