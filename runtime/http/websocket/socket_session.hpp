// A socket between the bytes of its connection and its peer: control frames, pings and closing
// (RFC 6455, 5.5 and 7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/buffer_budget.hpp"
#include "http/socket_peer.hpp"
#include "http/websocket/message_reader.hpp"

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
  /// Returns false if that time has come and the client has not sent anything, so that it is gone.
  bool expire(std::int64_t now);
  /// A message of the client that is not complete.
  struct Arriving {
    std::int64_t since;      ///< its first byte
    std::uint64_t received;  ///< bytes so far
    std::size_t buffered;    ///< memory that it uses
  };
  /// Nothing if there is none.
  std::optional<Arriving> arriving() const;
  /// The message that is arriving has taken too long.
  void reject_late_message() { fail(kPolicyViolation, "a message did not arrive in time"); }
  /// The connection has failed, or was closed without a close frame.
  void lose() noexcept;
  /// Nothing is received any more. A last frame may have to be sent.
  bool has_ended() const { return state_ == State::finished; }
  /// The connection is to be closed when everything has been sent.
  bool is_finished() const { return state_ == State::finished && !has_last_frame_; }
  /// There is no memory for the message that is arriving.
  void reject_message() { fail(kTryAgainLater, kNoMemory); }

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
      false;            ///< a close frame after the client's, or after its error, is to be sent
  std::int64_t since_;  ///< of the silence, of the ping, or of the close frame
  std::int64_t message_since_ = 0;  ///< of the message that is arriving
  std::string control_;             ///< the payload of the pong, or the whole last frame
};

}  // namespace fw::http::websocket
