#include "client/transfer.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

namespace fw::outbound {
namespace {

/// Maximum number of received bytes that wait for the reader.
constexpr std::size_t kMostReceived = std::size_t{256} * 1024;
constexpr std::int64_t kLongestWait = 60'000;  // milliseconds

}  // namespace

int milliseconds_until(Deadline deadline) {
  if (!deadline) return static_cast<int>(kLongestWait);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, kLongestWait));
}

Transfer::Transfer(OutboundRequest request, std::shared_ptr<Transport> transport)
    : request_(std::move(request)),
      transport_(std::move(transport)),
      wants_bytes_(request_.streams_body) {}

void Transfer::start() {
  try {
    auto channel = transport_->open(*this);
    const std::lock_guard lock(mutex_);
    channel_ = std::move(channel);
  } catch (const std::exception& error) {
    finish(OutboundFailure{.message = error.what()});
  }
}

void Transfer::resume() {
  if (channel_) channel_->resume();
}

void Transfer::abort() {
  is_aborted_ = true;
  const std::lock_guard lock(mutex_);
  if (channel_) channel_->wake();
}

void Transfer::close() {
  std::unique_ptr<Channel> channel;
  const std::lock_guard lock(mutex_);
  channel.swap(channel_);
}

/// Returns false if the deadline has expired.
bool Transfer::wait(Deadline deadline, auto is_over) {
  while (!is_over() && !is_over_ && !is_aborted_) {
    channel_->perform();
    if (is_over() || is_over_) break;
    if (deadline && Clock::now() >= *deadline) return false;
    channel_->wait(deadline);
  }
  // The connection can serve another call while the response is being read.
  if (is_over_) close();
  return true;
}

Transfer::Outcome Transfer::wait_for_head(Deadline deadline) {
  const bool in_time = wait(deadline, [this] { return has_head_ || wants_bytes_; });
  if (is_aborted_) return Outcome::aborted;
  if (has_head_) return Outcome::ready;
  if (is_over_) return Outcome::failed;
  return in_time ? Outcome::feed : Outcome::timed_out;
}

Transfer::Outcome Transfer::wait_to_feed(Deadline deadline) {
  const bool in_time = wait(deadline, [this] { return wants_bytes_ || is_full_; });
  if (is_aborted_) return Outcome::aborted;
  if (is_over_) return failure_ ? Outcome::failed : Outcome::ready;
  if (!in_time) return Outcome::timed_out;
  return wants_bytes_ ? Outcome::feed : Outcome::ready;
}

void Transfer::feed(std::string_view bytes) {
  to_send_.assign(bytes);
  sent_ = 0;
  is_fed_ = bytes.empty();
  wants_bytes_ = false;
  resume();
}

Transfer::Outcome Transfer::read(std::span<char> buffer, std::size_t& count, Deadline deadline) {
  const bool in_time = wait(deadline, [this] { return read_ < received_.size() || wants_bytes_; });
  if (is_aborted_) return Outcome::aborted;
  if (read_ == received_.size()) {
    if (is_over_) return failure_ ? Outcome::failed : Outcome::end;
    return in_time ? Outcome::feed : Outcome::timed_out;
  }
  count = std::min(buffer.size(), received_.size() - read_);
  std::memcpy(buffer.data(), received_.data() + read_, count);
  read_ += count;
  if (read_ < received_.size()) return Outcome::ready;
  received_.clear();
  read_ = 0;
  if (std::exchange(is_full_, false)) resume();
  return Outcome::ready;
}

std::optional<std::string> Transfer::take_all() {
  const bool is_whole = read_ == 0 && received_.size() == body_bytes_;
  if (!is_over_ || failure_ || is_aborted_ || !is_whole || request_.method == "HEAD") {
    return std::nullopt;
  }
  return std::exchange(received_, {});
}

void Transfer::put_head(int status, http::Fields fields) {
  status_ = status;
  fields_ = std::move(fields);
  has_head_ = true;
}

Transfer::Put Transfer::put_body(std::string_view bytes) {
  if (is_aborted_) return Put::rejected;
  if (read_ < received_.size() && received_.size() + bytes.size() > kMostReceived) {
    is_full_ = true;
    return Put::full;
  }
  if (bytes.size() > request_.max_size - body_bytes_) {
    failure_ = OutboundFailure{.kind = OutboundFailure::Kind::too_large, .message = {}};
    return Put::rejected;
  }
  body_bytes_ += bytes.size();
  received_.append(bytes);
  return Put::taken;
}

Transfer::Take Transfer::take_body(std::span<char> buffer, std::size_t& count) {
  if (is_aborted_) return Take::failed;
  count = std::min(buffer.size(), to_send_.size() - sent_);
  std::memcpy(buffer.data(), to_send_.data() + sent_, count);
  sent_ += count;
  if (count > 0) return Take::some;
  if (is_fed_) return Take::end;
  wants_bytes_ = true;
  return Take::later;
}

void Transfer::finish(std::optional<OutboundFailure> failure) {
  if (is_over_) return;
  is_over_ = true;
  if (!failure_) failure_ = std::move(failure);
}

}  // namespace fw::outbound
