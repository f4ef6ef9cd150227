#include "testing/socket_reader.hpp"

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "base/wake_up.hpp"
#include "http/socket.hpp"

namespace fw::testing {

namespace websocket = http::websocket;
using websocket::Opcode;

namespace {

/// The memory that a socket may use, as of a server by default.
constexpr std::size_t kMaxBuffered = std::size_t{128} * 1024 * 1024;

/// The size of the head of a frame without its mask.
std::size_t head_size(std::string_view frame) {
  const auto length = static_cast<unsigned char>(frame[1]) & 0x7FU;
  return 2U + (length == 127 ? 8U : length == 126 ? 2U : 0U);
}

/// A frame as clients send it. A mask of zeros changes nothing.
std::string masked(std::string frame) {
  frame[1] = static_cast<char>(static_cast<unsigned char>(frame[1]) | 0x80U);
  return frame.insert(head_size(frame), 4, '\0');
}

}  // namespace

class SocketReader::Waker final : public http::SocketWaker {
 public:
  void wake_socket() noexcept override { wake_up_.wake(); }
  /// Nothing is sent before the client reads.
  void flush_socket() noexcept override { wake_socket(); }
  void post_messages() noexcept override { has_messages_ = true; }

  bool take_messages() { return has_messages_.exchange(false); }
  /// Returns false after `until`.
  bool wait_until(std::chrono::steady_clock::time_point until) {
    return wake_up_.wait_until(until);
  }

 private:
  base::WakeUp wake_up_;
  std::atomic<bool> has_messages_ = false;  ///< more than run in one turn
};

SocketReader::SocketReader(std::shared_ptr<MemoryTransaction> transaction)
    : transaction_(std::move(transaction)),
      waker_(std::make_shared<Waker>()),
      peer_(transaction_ ? transaction_->take_socket() : nullptr) {
  if (!peer_) return;
  peer_->begin(waker_, std::make_shared<http::BufferBudget>(kMaxBuffered));
  session_ = std::make_unique<websocket::SocketSession>(peer_, http::coarse_now());
  produce();
  stop_reading();
}

void SocketReader::send(Opcode opcode, std::string_view payload) {
  if (!is_open()) return;
  std::string frame;
  websocket::append_frame(frame, opcode, payload);
  receive(masked(std::move(frame)));
}

void SocketReader::receive(std::string_view bytes) {
  do {
    session_->receive(bytes, http::coarse_now());
    run_handlers();
  } while (!bytes.empty() && session_->may_receive());
}

void SocketReader::run_handlers() {
  do {
    peer_->run(false);
  } while (waker_->take_messages());
}

/// Takes what the application has sent, as much as a connection would. Returns whether there was
/// something.
bool SocketReader::produce() {
  const std::size_t before = frames_.size();
  session_->produce(frames_, http::coarse_now());
  return frames_.size() > before;
}

/// Nothing more is read before `next`. If that is too slow, a close follows.
void SocketReader::stop_reading() { static_cast<void>(peer_->may_wait()); }

std::optional<SocketReader::Frame> SocketReader::take_frame() {
  if (frames_.empty()) return std::nullopt;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(frames_[at]); };
  const std::size_t begin = head_size(frames_);
  std::uint64_t size = byte(1);
  if (begin > 2) {
    size = 0;
    for (std::size_t at = 2; at < begin; ++at) size = size << 8U | byte(at);
  }
  // Frames are produced whole, and only from messages that are not compressed.
  Frame frame{static_cast<Opcode>(byte(0) & 0x0FU),
              frames_.substr(begin, static_cast<std::size_t>(size))};
  frames_.erase(0, begin + frame.payload.size());
  return frame;
}

std::optional<TestMessage> SocketReader::next(std::chrono::milliseconds timeout) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  while (is_open()) {
    if (auto frame = take_frame()) {
      if (frame->opcode == Opcode::close) {
        take_close(frame->payload);
      } else if (!websocket::is_control(frame->opcode)) {
        stop_reading();
        return TestMessage{std::move(frame->payload), frame->opcode == Opcode::text};
      }
    } else if (session_->is_finished()) {
      finish();
    } else if (!produce() && !waker_->wait_until(until)) {
      stop_reading();
      throw std::runtime_error("the socket had no message before the timeout");
    }
  }
  return std::nullopt;
}

/// Responds to the close of the application, unless it is the response to another one.
void SocketReader::take_close(std::string_view payload) {
  std::string frame;
  websocket::append_frame(frame, Opcode::close, payload);
  receive(masked(std::move(frame)));
  if (!closed_) {
    CloseReason& reason = closed_.emplace();
    reason.code = payload.size() < 2 ? websocket::kNoCode
                                     : static_cast<unsigned char>(payload[0]) << 8 |
                                           static_cast<unsigned char>(payload[1]);
    if (payload.size() > 2) reason.reason = payload.substr(2);
  }
  finish();
}

void SocketReader::close(int code, std::string_view reason) {
  if (!is_open()) return;
  closed_ = CloseReason{.code = code, .reason = std::string(reason), .by_client = true};
  std::string frame;
  websocket::append_close(frame, code, reason);
  receive(masked(std::move(frame)));
  finish();
}

void SocketReader::disconnect() {
  if (!is_open()) return;
  closed_ = CloseReason{.by_client = true};
  transaction_->disconnect();
  finish();
}

/// The connection has ended.
void SocketReader::finish() {
  session_->lose();
  session_.reset();
  frames_.clear();
  run_handlers();
}

}  // namespace fw::testing
