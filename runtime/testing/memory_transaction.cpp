#include "testing/memory_transaction.hpp"

#include <array>
#include <utility>

namespace fw::testing {

MemoryTransaction::MemoryTransaction(http::RequestHead head, std::string body)
    : head_(std::move(head)), body_(std::move(body)) {}

http::BodyStatus MemoryTransaction::read_body(std::uint64_t limit, std::string& body) {
  if (body_.size() > limit) return http::BodyStatus::too_large;
  body = body_;
  return http::BodyStatus::complete;
}

bool MemoryTransaction::claim(http::ResponseHead head) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(answered_, true)) return false;
  answer_head_ = std::move(head);
  return true;
}

bool MemoryTransaction::has_body_bytes() const {
  return head_.method != "HEAD" && answer_head_.status != 204 && answer_head_.status != 304;
}

void MemoryTransaction::announce_length(std::optional<std::uint64_t> length) {
  const bool announced = answer_head_.status != 204 && answer_head_.status != 304;
  if (length && announced) {
    answer_head_.fields.emplace_back("content-length", std::to_string(*length));
  }
}

bool MemoryTransaction::respond(http::ResponseHead head, std::string_view body) {
  if (!claim(std::move(head))) return false;
  announce_length(body.size());
  if (has_body_bytes()) answer_body_ = body;
  return true;
}

bool MemoryTransaction::respond_stream(http::ResponseHead head, std::optional<std::uint64_t> length,
                                       http::BodyProducer produce, http::StreamEnd ended) {
  if (!claim(std::move(head))) return false;
  announce_length(length);
  std::exception_ptr error;
  if (has_body_bytes()) {
    std::array<char, 4096> buffer;
    try {
      while (const std::size_t count = produce(buffer)) answer_body_.append(buffer.data(), count);
    } catch (...) {
      error = std::current_exception();
    }
    broken_ = error || (length && answer_body_.size() != *length);
  }
  if (ended) ended(error);
  return true;
}

bool MemoryTransaction::answered() const {
  const std::lock_guard lock(mutex_);
  return answered_;
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
