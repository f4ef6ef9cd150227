#include "testing/memory_transaction.hpp"

#include <array>
#include <utility>

#include "http/response_head.hpp"

namespace fw::testing {

MemoryTransaction::MemoryTransaction(http::RequestHead head, std::string body)
    : head_(std::move(head)), body_(std::move(body)) {}

http::BodyStatus MemoryTransaction::read_body(std::uint64_t limit, std::string& body) {
  body.clear();
  {
    const std::lock_guard lock(mutex_);
    if (body_state_ == BodyState::taken) return http::BodyStatus::complete;
    if (body_state_ == BodyState::too_large) return http::BodyStatus::disconnected;
    body_state_ = body_.size() > limit ? BodyState::too_large : BodyState::taken;
    if (body_state_ == BodyState::too_large) return http::BodyStatus::too_large;
  }
  body = std::move(body_);
  return http::BodyStatus::complete;
}

http::BodyPart MemoryTransaction::read_body_part(std::uint64_t limit, std::span<char> buffer,
                                                 std::chrono::steady_clock::time_point) {
  const std::lock_guard lock(mutex_);
  if (body_state_ == BodyState::taken) return {};
  if (body_.size() > limit) return {0, http::BodyStatus::too_large};
  const std::size_t size = body_.copy(buffer.data(), buffer.size(), taken_);
  taken_ += size;
  return {size, http::BodyStatus::complete};
}

bool MemoryTransaction::claim(const http::ResponseHead& head) {
  http::check_response_head(head);
  const std::lock_guard lock(mutex_);
  if (std::exchange(has_response_, true)) return false;
  response_head_ = head;
  return true;
}

bool MemoryTransaction::has_body_bytes() const {
  return head_.method != "HEAD" && http::allows_body(response_head_.status);
}

void MemoryTransaction::announce_length(std::optional<std::uint64_t> length) {
  if (length && http::allows_body(response_head_.status)) {
    response_head_.fields.add("content-length", std::to_string(*length));
  }
}

bool MemoryTransaction::respond(const http::ResponseHead& head, std::string_view body) {
  if (!claim(head)) return false;
  announce_length(body.size());
  if (has_body_bytes()) response_body_ = body;
  return true;
}

bool MemoryTransaction::respond_stream(const http::ResponseHead& head,
                                       std::optional<std::uint64_t> length,
                                       http::BodyProducer produce, http::StreamEnd ended) {
  if (!claim(head)) return false;
  announce_length(length);
  std::exception_ptr error;
  if (has_body_bytes()) {
    std::array<char, 4096> buffer;
    try {
      while (const std::size_t count = produce(buffer)) response_body_.append(buffer.data(), count);
    } catch (...) {
      error = std::current_exception();
    }
    broken_ = error || (length && response_body_.size() != *length);
  }
  if (ended) ended(error);
  return true;
}

bool MemoryTransaction::has_response() const {
  const std::lock_guard lock(mutex_);
  return has_response_;
}

void MemoryTransaction::on_disconnect(std::function<void()> callback) {
  const std::lock_guard lock(mutex_);
  on_disconnect_ = std::move(callback);
}

void MemoryTransaction::disconnect() {
  std::function<void()> callback;
  {
    const std::lock_guard lock(mutex_);
    callback = std::exchange(on_disconnect_, nullptr);
  }
  if (callback) callback();
}

}  // namespace fw::testing
