// A transaction without a socket.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "http/adapter.hpp"
#include "http/body_decoder.hpp"
#include "http/framing.hpp"
#include "http/socket_peer.hpp"

namespace fw::testing {

/// Stores the response as a client would receive it. Follows the contract of http::Transaction.
class MemoryTransaction : public http::Transaction {
 public:
  /// The next bytes of the body as a client sends them, chunks included; empty at the end.
  using BodySource = std::function<std::string()>;

  MemoryTransaction(http::RequestHead head, const http::Framing& framing, BodySource source);

  const http::RequestHead& head() const override { return head_; }
  http::BodyStatus read_body(std::uint64_t limit, std::string& body) override;
  http::BodyPart read_body_part(std::uint64_t limit, std::span<char> buffer,
                                std::chrono::steady_clock::time_point until) override;
  bool respond(const http::ResponseHead& head, std::string_view body) override;
  bool respond_stream(const http::ResponseHead& head, std::optional<std::uint64_t> length,
                      http::BodyProducer produce, http::StreamEnd ended) override;
  bool respond_pushed(const http::ResponseHead& head,
                      std::shared_ptr<http::PushedBody> body) override;
  bool can_open_socket() const override { return true; }
  bool respond_socket(const http::ResponseHead& head,
                      std::shared_ptr<http::SocketPeer> peer) override;
  bool has_response() const override;
  void on_disconnect(http::DisconnectCallback callback) override;

  /// Simulates a disconnect of the client.
  void disconnect();

  /// The response, which must have been sent.
  const http::ResponseHead& response_head() const { return response_head_; }
  const std::string& response_body() const { return response_body_; }
  /// The pushed body of the response; null if it has none, and after it has been taken. The caller
  /// must end it.
  std::shared_ptr<http::PushedBody> take_pushed() { return std::move(pushed_); }
  /// The same for a socket.
  std::shared_ptr<http::SocketPeer> take_socket() { return std::move(socket_); }
  /// Whether a streamed response ended before it was complete.
  bool broken() const { return broken_; }

 private:
  enum class BodyState { unread, partly_read, complete, unusable };

  std::optional<http::BodyStatus> begin_reading(std::uint64_t limit);
  void end_reading(http::BodyStatus status);
  std::optional<http::BodyStatus> receive(std::string& content);
  bool claim(const http::ResponseHead& head);
  bool has_body_bytes() const;
  void announce_length(std::optional<std::uint64_t> length);

  http::RequestHead head_;
  http::Framing framing_;
  BodySource source_;

  // Of the thread that reads.
  std::optional<http::BodyDecoder> decoder_;
  std::string input_;  ///< what the decoder has not consumed
  std::string part_;   ///< content that has not been taken

  mutable std::mutex mutex_;
  BodyState body_state_;
  bool has_response_ = false;
  http::DisconnectCallback on_disconnect_;
  http::ResponseHead response_head_;
  std::string response_body_;
  std::shared_ptr<http::PushedBody> pushed_;
  std::shared_ptr<http::SocketPeer> socket_;
  bool broken_ = false;
};

}  // namespace fw::testing
