// The request of a tool: one that the program sends to itself while it handles another one.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "http/adapter.hpp"

namespace fw::mcp {

struct ToolResponse {
  http::ResponseHead head = {};
  std::string body = {};
  bool is_too_large = false;  ///< the body is not complete
  bool is_broken = false;     ///< likewise
};

/// Keeps the response. The pipeline handles it on the thread that has made it; a deadline may
/// respond on another one. Follows the contract of http::Transaction.
class ToolTransaction final : public http::Transaction {
 public:
  /// Called with a response that another thread has sent, while the thread of the request is still
  /// busy.
  using Early = std::function<void(const ToolResponse&)>;

  /// `outer` is the transaction that is handled. Keeps at most `max_response` bytes of a body.
  ToolTransaction(http::RequestHead head, std::string body, std::unique_ptr<http::RequestPlan> plan,
                  std::size_t max_response, std::shared_ptr<http::Transaction> outer, Early early);

  const http::RequestHead& head() const override { return head_; }
  http::RequestPlan* plan() const override { return plan_.get(); }
  http::BodyStatus read_body(std::uint64_t limit, std::string& body) override;
  http::BodyPart read_body_part(std::uint64_t limit, std::span<char> buffer,
                                std::chrono::steady_clock::time_point until) override;
  bool respond(const http::ResponseHead& head, std::string_view body) override;
  bool respond_stream(const http::ResponseHead& head, std::optional<std::uint64_t> length,
                      http::BodyProducer produce, http::StreamEnd ended) override;
  bool has_response() const override;
  void on_disconnect(http::DisconnectCallback callback) override;
  bool begin_wait(std::size_t others) override { return outer_->begin_wait(others); }
  void end_wait() override { outer_->end_wait(); }
  std::string_view http_version() const override { return outer_->http_version(); }

  /// The client of the outer request has disconnected.
  void disconnect();

  /// The response; empty if there is none. After the request has been handled.
  const std::optional<ToolResponse>& response() const { return response_; }

 private:
  bool claim(const http::ResponseHead& head);

  const http::RequestHead head_;
  const std::string body_;
  const std::unique_ptr<http::RequestPlan> plan_;
  std::size_t read_ = 0;  ///< bytes of the body
  const std::size_t max_response_;
  const std::shared_ptr<http::Transaction> outer_;
  const Early early_;
  const std::thread::id thread_ = std::this_thread::get_id();

  mutable std::mutex mutex_;
  std::optional<ToolResponse> response_;
  bool is_disconnected_ = false;
  http::DisconnectCallback on_disconnect_;
};

}  // namespace fw::mcp
