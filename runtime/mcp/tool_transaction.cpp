#include "mcp/tool_transaction.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "http/response_head.hpp"

namespace fw::mcp {

using http::BodyStatus;

ToolTransaction::ToolTransaction(http::RequestHead head, std::string body,
                                 std::unique_ptr<http::RequestPlan> plan, std::size_t max_response,
                                 std::shared_ptr<http::Transaction> outer, Early early)
    : head_(std::move(head)),
      body_(std::move(body)),
      plan_(std::move(plan)),
      max_response_(max_response),
      outer_(std::move(outer)),
      early_(std::move(early)) {}

BodyStatus ToolTransaction::read_body(std::uint64_t limit, std::string& body) {
  body.clear();
  if (body_.size() > limit) return BodyStatus::too_large;
  body = body_;
  return BodyStatus::complete;
}

http::BodyPart ToolTransaction::read_body_part(std::uint64_t limit, std::span<char> buffer,
                                               std::chrono::steady_clock::time_point) {
  if (body_.size() > limit) return {0, BodyStatus::too_large};
  const std::size_t size = std::min(buffer.size(), body_.size() - read_);
  body_.copy(buffer.data(), size, read_);
  read_ += size;
  return {size, BodyStatus::complete};
}

bool ToolTransaction::claim(const http::ResponseHead& head) {
  http::check_response_head(head);
  const std::lock_guard lock(mutex_);
  if (response_) return false;
  response_.emplace().head = head;
  return true;
}

bool ToolTransaction::respond(const http::ResponseHead& head, std::string_view body) {
  if (!claim(head)) return false;
  // Only the sender changes it from here on, and the thread of the request reads it after that.
  ToolResponse& response = *response_;
  response.is_too_large = body.size() > max_response_;
  response.body = body.substr(0, max_response_);
  if (std::this_thread::get_id() != thread_) early_(response);
  return true;
}

bool ToolTransaction::respond_stream(const http::ResponseHead& head, std::optional<std::uint64_t>,
                                     http::BodyProducer produce, http::StreamEnd ended) {
  if (!claim(head)) return false;
  ToolResponse& response = *response_;
  std::exception_ptr error;
  std::array<char, 4096> buffer;
  try {
    while (const std::size_t count = produce(buffer)) {
      const std::size_t room = max_response_ - response.body.size();
      response.body.append(buffer.data(), std::min(count, room));
      response.is_too_large = count > room;
      if (response.is_too_large) break;
    }
  } catch (...) {
    error = std::current_exception();
    response.is_broken = true;
  }
  if (ended) ended(error);
  if (error || response.is_too_large) disconnect();  // the rest is lost
  return true;
}

bool ToolTransaction::has_response() const {
  const std::lock_guard lock(mutex_);
  return response_.has_value();
}

void ToolTransaction::on_disconnect(http::DisconnectCallback callback) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_disconnected_) {
      on_disconnect_ = std::move(callback);
      return;
    }
  }
  callback();
}

void ToolTransaction::disconnect() {
  http::DisconnectCallback callback;
  {
    const std::lock_guard lock(mutex_);
    is_disconnected_ = true;
    on_disconnect_.mark_lost();
    callback = std::exchange(on_disconnect_, {});
  }
  if (callback) callback();
}

}  // namespace fw::mcp
