// A socket between the bytes of its connection and its peer: control frames, pings and closing
// (RFC 6455, 5.5 and 7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http/websocket/message_reader.hpp"
#include "http/websocket/socket_peer.hpp"

namespace fw::http::websocket {

/// Neither sends nor receives by itself. Used by the owner of the connection. Times are these of
/// `coarse_now`.
class SocketSession {
 public:
  SocketSession(std::shared_ptr<SocketPeer> peer, std::int64_t now);

  /// Reads messages, and removes what was read from `input`: everything, unless the peer has no
  /// room.
  void receive(std::string_view& input, std::int64_t now);
  /// Whether `receive` would read something.
  bool may_receive();
  /// Appends the next frames. Nothing was appended if there is nothing to send at the moment.
  void produce(std::string& frames, std::int64_t now);
  /// The server stops.
  void stop() noexcept { peer_->stop(); }
  /// The time at which `expire` must be called.
  std::int64_t deadline() const;
  /// Returns false if the client has not sent anything in time, and is gone.
  bool expire(std::int64_t now);
  /// The connection has failed, or was closed without a close frame.
  void lose() noexcept;
  /// The connection is to be closed when everything has been sent.
  bool is_finished() const { return state_ == State::finished && !has_last_frame_; }
  /// Bytes of the message that is arriving.
  std::size_t buffered() const { return reader_.buffered(); }
  /// There is no memory for it.
  void reject_message() { fail(kTryAgainLater, "the server is out of memory"); }

  SocketPeer& peer() const { return *peer_; }

 private:
  enum class State : std::uint8_t {
    open,
    closing,  ///< a close frame was sent first, and the client has not sent its own
    finished  ///< nothing is received or taken any more
  };

  void finish(int sent_code, std::string_view sent_reason);
  void fail(int code, std::string_view reason);

  const std::shared_ptr<SocketPeer> peer_;
  MessageReader reader_;
  State state_ = State::open;
  bool awaits_pong_ = false;
  bool has_ping_ = false;  ///< is to be sent
  bool has_pong_ = false;  ///< is to be sent
  bool has_last_frame_ =
      false;             ///< a close frame after the client's, or after its error, is to be sent
  std::int64_t since_;   ///< of the silence, of the ping, or of the close frame
  std::string control_;  ///< the payload of the pong, or the whole last frame
};

}  // namespace fw::http::websocket
