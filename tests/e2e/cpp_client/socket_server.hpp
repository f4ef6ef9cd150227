// A server of sockets that does given things, right or wrong, with one connection after the other.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace e2e {

/// A frame of a client, without its mask.
struct ClientFrame {
  unsigned first = 0;  ///< byte
  std::string payload = {};
  bool is_masked = false;

  unsigned opcode() const { return first & 0x0FU; }
  /// Of a close frame; 1005 if it has none.
  int code() const;
};

/// A connection of a client.
class SocketPeer {
 public:
  SocketPeer(int connection, const std::atomic<bool>& ends) : fd_(connection), ends_(ends) {}
  SocketPeer(const SocketPeer&) = delete;
  SocketPeer& operator=(const SocketPeer&) = delete;
  ~SocketPeer();

  /// Reads the request; false if the client has left before.
  bool read_request();
  /// Its head.
  const std::string& request() const { return request_; }
  /// Sends the response 101, with further header lines, each with its line end; and `frames` in the
  /// same packet.
  void open(const std::string& head = "", const std::string& frames = "");
  /// The value of Sec-WebSocket-Accept for the request.
  std::string accept() const;

  void send(std::string_view bytes) const;
  void send_text(std::string_view text) const;
  void close(int code, std::string_view reason = {}) const;
  /// The next frame; nothing when the client has left.
  std::optional<ClientFrame> read();
  /// The payload of the next frame; "(end)" when the client has left.
  std::string read_text();
  /// Reads until the client has left, and responds to its close frame. Returns the code of that
  /// frame; 1006 if there was none.
  int wait_for_end();
  /// Waits until the client has sent something that has not been read.
  void wait_for_bytes() const;
  /// Ends the connection without a close frame.
  void drop() const;

 private:
  bool receive();

  int fd_;
  const std::atomic<bool>& ends_;
  std::string request_;
  std::string input_;
};

/// A frame of a server. `first` is its first byte.
std::string server_frame(unsigned first, std::string_view payload);

class SocketServer {
 public:
  using Handler = std::function<void(SocketPeer&)>;

  enum class Requests { read, left };

  /// The n-th connection is handled by the n-th function, after its request has been read; the last
  /// one again and again. With `Requests::left`, the functions are called at once.
  explicit SocketServer(std::vector<Handler> handlers, Requests requests = Requests::read);
  ~SocketServer();
  SocketServer(const SocketServer&) = delete;
  SocketServer& operator=(const SocketServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// The heads of the requests so far.
  std::vector<std::string> requests() const;

 private:
  void serve();

  std::vector<Handler> handlers_;
  const Requests requests_wish_;
  int port_ = 0;
  int listener_ = -1;
  std::atomic<bool> ends_ = false;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace e2e
