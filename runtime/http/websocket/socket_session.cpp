#include "http/websocket/socket_session.hpp"

#include <utility>

namespace fw::http::websocket {
namespace {

/// For the close frame of a client after the close frame of the server.
constexpr std::int64_t kCloseTime = 2000;

}  // namespace

SocketSession::SocketSession(std::shared_ptr<SocketPeer> peer, std::int64_t now)
    : peer_(std::move(peer)), reader_(peer_->max_message(), peer_->is_compressed()), since_(now) {}

bool SocketSession::may_receive() {
  if (state_ == State::finished) return false;
  return state_ == State::closing || peer_->has_room();
}

void SocketSession::receive(std::string_view& input, std::int64_t now) {
  using Event = MessageReader::Event;
  if (state_ == State::open && !input.empty()) {
    since_ = now;
    awaits_pong_ = false;
  }
  while (!input.empty() && may_receive()) {
    if (!reader_.is_unfinished()) message_since_ = now;
    switch (reader_.read(input)) {
      case Event::none:
      case Event::pong:
        break;
      case Event::message:
        if (state_ == State::open && !peer_->receive(reader_.take_message(), reader_.is_text())) {
          reject_message();
        }
        break;
      case Event::ping:
        // Only the last ping needs a pong (RFC 6455, 5.5.3), and none after a close frame.
        if (state_ != State::open) break;
        has_pong_ = true;
        control_ = reader_.payload();
        break;
      case Event::close:
        if (state_ == State::open) {
          peer_->end(reader_.code(), reader_.payload(), true);
          finish(reader_.code(), {});
        } else {
          lose();
        }
        break;
      case Event::failed:
        if (state_ == State::open) {
          fail(reader_.code(), reader_.payload());
        } else {
          lose();
        }
        break;
    }
  }
}

/// `finish` after an error of the client.
void SocketSession::fail(int code, std::string_view reason) {
  peer_->end(code, reason, false);
  finish(code, reason);
}

/// Sends this as the last frame, before what waits in the queue.
void SocketSession::finish(int sent_code, std::string_view sent_reason) {
  state_ = State::finished;
  has_ping_ = has_pong_ = false;
  has_last_frame_ = true;
  control_.clear();
  append_close(control_, sent_code, sent_reason);
  reader_.discard();
}

void SocketSession::lose() noexcept {
  // The peer knows the code of its own close.
  const SocketClose own = peer_->closing();
  if (own.code != 0) {
    peer_->end(own.code, own.reason, false);
  } else {
    peer_->end(kAbnormal, {}, true);
  }
  state_ = State::finished;
  has_last_frame_ = false;
}

void SocketSession::produce(std::string& frames, std::int64_t now) {
  if (std::exchange(has_last_frame_, false)) {
    frames += std::exchange(control_, {});
    return;
  }
  if (state_ != State::open) return;
  if (std::exchange(has_pong_, false)) {
    append_frame(frames, Opcode::pong, std::exchange(control_, {}));
  }
  if (std::exchange(has_ping_, false)) append_frame(frames, Opcode::ping, {});
  if (peer_->take(frames)) return;
  if (const SocketClose close = peer_->closing(); close.code != 0) {
    append_close(frames, close.code, close.reason);
    state_ = State::closing;
    since_ = now;
    reader_.drop_messages();
  }
}

std::int64_t SocketSession::deadline() const {
  return since_ + (state_ == State::open ? peer_->heartbeat().count() : kCloseTime);
}

std::optional<SocketSession::Arriving> SocketSession::arriving() const {
  if (state_ != State::open || !reader_.is_unfinished()) return std::nullopt;
  return Arriving{message_since_, reader_.received(), reader_.buffered()};
}

bool SocketSession::expire(std::int64_t now) {
  if (now < deadline()) return true;
  if (state_ != State::open) return false;
  if (!peer_->has_room()) {
    since_ = now;  // the client may have sent something
    return true;
  }
  if (awaits_pong_) return false;
  awaits_pong_ = has_ping_ = true;
  since_ = now;
  return true;
}

}  // namespace fw::http::websocket
