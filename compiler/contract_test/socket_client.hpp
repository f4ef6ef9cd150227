// A socket of a contract test (RFC 6455).
#pragma once

#include <string>
#include <string_view>

#include "base/file_descriptor.hpp"
#include "contract_test/http_client.hpp"

namespace fairway::contract_test {

/// What a server has sent: a message, a pong, or the end of the socket.
struct SocketEvent {
  enum class Kind { text, binary, pong, closed };

  Kind kind = Kind::closed;
  std::string content = {};  ///< of a message; the reason of a close
  int code = 0;              ///< of a close

  /// Whether the connection ended without a close.
  bool is_lost() const;
};

/// Used by one thread. Without compression.
class SocketClient {
 public:
  /// `base_url` as for HttpClient.
  explicit SocketClient(const std::string& base_url) : url_(parse_base_url(base_url)) {}

  /// Opens a socket instead of an earlier one. With another status than 101, there is none then.
  /// Throws NoResponse.
  Response open(const Request& request);
  void send_text(std::string_view text);
  void ping();
  /// Responds to pings. Throws NoResponse if nothing comes for a while; the end of the connection
  /// without a close has the code 1006.
  SocketEvent next();
  void close();

 private:
  struct Frame;

  void connect();
  void send(std::string_view bytes) const;
  void send_frame(unsigned opcode, std::string_view payload) const;
  /// Adds what arrives; false at the end of the connection.
  bool receive();
  /// False if the connection has ended.
  bool await(std::size_t bytes);
  bool read_frame(Frame& frame);

  const BaseUrl url_;
  fw::base::FileDescriptor connection_;
  std::string received_;
};

/// The status of a response that opens a socket.
inline constexpr int kSwitchingProtocols = 101;

/// The header fields that ask for a socket.
const Headers& socket_opening();
/// The value of Sec-WebSocket-Accept in a response to them (RFC 6455, 4.2.2).
inline constexpr std::string_view kSocketAcceptance = "QYPMFqNrr1R8pRV0vkJSas3jFG4=";

}  // namespace fairway::contract_test
