// A transaction without a socket.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "http/adapter.hpp"

namespace fw::testing {

/// Stores the response as a client would receive it. Follows the contract of http::Transaction.
class MemoryTransaction : public http::Transaction {
 public:
  MemoryTransaction(http::RequestHead head, std::string body);

  const http::RequestHead& head() const override { return head_; }
  http::BodyStatus read_body(std::uint64_t limit, std::string& body) override;
  http::BodyPart read_body_part(std::uint64_t limit, std::span<char> buffer,
                                std::chrono::steady_clock::time_point until) override;
  bool respond(const http::ResponseHead& head, std::string_view body) override;
  bool respond_stream(const http::ResponseHead& head, std::optional<std::uint64_t> length,
                      http::BodyProducer produce, http::StreamEnd ended) override;
  bool has_response() const override;
  void on_disconnect(std::function<void()> callback) override;

  /// Simulates a disconnect of the client.
  void disconnect();

  /// The response, which must have been sent.
  const http::ResponseHead& response_head() const { return response_head_; }
  const std::string& response_body() const { return response_body_; }
  /// Whether a streamed response ended before it was complete.
  bool broken() const { return broken_; }

 private:
  bool claim(const http::ResponseHead& head);
  bool has_body_bytes() const;
  void announce_length(std::optional<std::uint64_t> length);

  http::RequestHead head_;
  std::string body_;
  mutable std::mutex mutex_;
  enum class BodyState { unread, taken, too_large };
  BodyState body_state_ = BodyState::unread;
  std::size_t taken_ = 0;  ///< bytes of a body that is read in parts
  bool has_response_ = false;
  std::function<void()> on_disconnect_;
  http::ResponseHead response_head_;
  std::string response_body_;
  bool broken_ = false;
};

}  // namespace fw::testing
