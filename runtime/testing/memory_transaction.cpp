#include "testing/memory_transaction.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "http/response_head.hpp"

namespace fw::testing {

using http::BodyStatus;

MemoryTransaction::MemoryTransaction(http::RequestHead head, const http::Framing& framing,
                                     BodySource source)
    : head_(std::move(head)),
      framing_(framing),
      source_(std::move(source)),
      body_state_(framing.has_body() ? BodyState::unread : BodyState::complete) {}

BodyStatus MemoryTransaction::read_body(std::uint64_t limit, std::string& body) {
  body.clear();
  if (const auto ended = begin_reading(limit)) return *ended;
  std::optional<BodyStatus> status;
  while (!status) status = receive(body);
  end_reading(*status);
  return *status;
}

http::BodyPart MemoryTransaction::read_body_part(std::uint64_t limit, std::span<char> buffer,
                                                 std::chrono::steady_clock::time_point) {
  if (part_.empty()) {
    if (const auto ended = begin_reading(limit)) return {0, *ended};
    const auto status = receive(part_);
    if (status) end_reading(*status);
    if (status && (*status != BodyStatus::complete || part_.empty())) return {0, *status};
  }
  const std::size_t size = part_.copy(buffer.data(), buffer.size());
  part_.erase(0, size);
  return {size, BodyStatus::complete};
}

/// Nothing if the body is the caller's to read.
std::optional<BodyStatus> MemoryTransaction::begin_reading(std::uint64_t limit) {
  const std::lock_guard lock(mutex_);
  if (body_state_ == BodyState::complete) return BodyStatus::complete;
  if (body_state_ == BodyState::unusable || has_response_) return BodyStatus::disconnected;
  if (body_state_ == BodyState::unread) decoder_.emplace(framing_, limit);
  body_state_ = BodyState::partly_read;
  return std::nullopt;
}

void MemoryTransaction::end_reading(BodyStatus status) {
  const std::lock_guard lock(mutex_);
  body_state_ = status == BodyStatus::complete ? BodyState::complete : BodyState::unusable;
}

/// Until there is content, or until nothing more will come, which the status tells.
std::optional<BodyStatus> MemoryTransaction::receive(std::string& content) {
  const std::size_t before = content.size();
  while (true) {
    std::string_view rest = input_;
    const auto status = http::final_status(decoder_->decode(rest, &content));
    input_.erase(0, input_.size() - rest.size());
    if (status) return status;
    if (content.size() > before) return std::nullopt;
    const std::string next = source_();
    if (next.empty()) return BodyStatus::disconnected;
    input_ += next;
  }
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
  if (broken_) disconnect();
  return true;
}

bool MemoryTransaction::respond_pushed(const http::ResponseHead& head,
                                       std::shared_ptr<http::PushedBody> body) {
  if (!claim(head)) return false;
  if (has_body_bytes()) {
    pushed_ = std::move(body);
  } else {
    body->end(false);
  }
  return true;
}

bool MemoryTransaction::respond_socket(const http::ResponseHead& head,
                                       std::shared_ptr<http::SocketPeer> peer) {
  constexpr int kSwitchingProtocols = 101;
  if (!claim({.status = 200, .fields = head.fields})) return false;
  response_head_.status = kSwitchingProtocols;
  socket_ = std::move(peer);
  return true;
}

bool MemoryTransaction::has_response() const {
  const std::lock_guard lock(mutex_);
  return has_response_;
}

void MemoryTransaction::on_disconnect(http::DisconnectCallback callback) {
  const std::lock_guard lock(mutex_);
  on_disconnect_ = std::move(callback);
}

void MemoryTransaction::disconnect() {
  http::DisconnectCallback callback;
  {
    const std::lock_guard lock(mutex_);
    on_disconnect_.mark_lost();
    callback = std::exchange(on_disconnect_, {});
  }
  if (callback) callback();
}

}  // namespace fw::testing
