#include "client/transfer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace fw::outbound {
namespace {

/// Maximum number of received bytes that wait for the reader.
constexpr std::size_t kMostReceived = std::size_t{256} * 1024;

}  // namespace

Transfer::Transfer(OutboundRequest request, std::weak_ptr<Transport> transport)
    : request_(std::move(request)),
      transport_(std::move(transport)),
      wants_bytes_(request_.streams_body) {}

void Transfer::start() {
  if (const auto transport = transport_.lock()) {
    transport->start(shared_from_this());
  } else {
    finish(OutboundFailure{.message = "the application has ended"});
  }
}

void Transfer::resume() {
  if (const auto transport = transport_.lock()) transport->resume(shared_from_this());
}

void Transfer::abort() {
  {
    const std::lock_guard lock(mutex_);
    if (is_aborted_) return;
    is_aborted_ = true;
    if (is_over_) return;
  }
  changed_.notify_all();
  if (const auto transport = transport_.lock()) transport->cancel(shared_from_this());
}

bool Transfer::wait(std::unique_lock<std::mutex>& lock, Deadline deadline, auto is_over) {
  if (deadline) return changed_.wait_until(lock, *deadline, is_over);
  changed_.wait(lock, is_over);
  return true;
}

Transfer::Outcome Transfer::wait_for_head(Deadline deadline) {
  std::unique_lock lock(mutex_);
  const bool in_time =
      wait(lock, deadline, [this] { return has_head_ || is_over_ || is_aborted_ || wants_bytes_; });
  if (is_aborted_) return Outcome::aborted;
  if (has_head_) return Outcome::ready;
  if (is_over_) return Outcome::failed;
  return in_time ? Outcome::feed : Outcome::timed_out;
}

Transfer::Outcome Transfer::wait_to_feed(Deadline deadline) {
  std::unique_lock lock(mutex_);
  const bool in_time =
      wait(lock, deadline, [this] { return wants_bytes_ || is_full_ || is_over_ || is_aborted_; });
  if (is_aborted_) return Outcome::aborted;
  if (is_over_) return failure_ ? Outcome::failed : Outcome::ready;
  if (!in_time) return Outcome::timed_out;
  return wants_bytes_ ? Outcome::feed : Outcome::ready;
}

void Transfer::feed(std::string_view bytes) {
  {
    const std::lock_guard lock(mutex_);
    to_send_.assign(bytes);
    sent_ = 0;
    is_fed_ = bytes.empty();
    wants_bytes_ = false;
  }
  resume();
}

Transfer::Outcome Transfer::read(std::span<char> buffer, std::size_t& count, Deadline deadline) {
  std::unique_lock lock(mutex_);
  const bool in_time = wait(lock, deadline, [this] {
    return read_ < received_.size() || is_over_ || is_aborted_ || wants_bytes_;
  });
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
  const bool was_full = std::exchange(is_full_, false);
  lock.unlock();
  if (was_full) resume();
  return Outcome::ready;
}

void Transfer::put_head(int status, http::Fields fields) {
  {
    const std::lock_guard lock(mutex_);
    status_ = status;
    fields_ = std::move(fields);
    has_head_ = true;
  }
  changed_.notify_all();
}

Transfer::Put Transfer::put_body(std::string_view bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (is_aborted_) return Put::refused;
    if (read_ < received_.size() && received_.size() + bytes.size() > kMostReceived) {
      is_full_ = true;
      changed_.notify_all();
      return Put::full;
    }
    if (bytes.size() > request_.max_size - body_bytes_) {
      failure_ = OutboundFailure{.kind = OutboundFailure::Kind::too_large, .message = {}};
      return Put::refused;
    }
    body_bytes_ += bytes.size();
    received_.append(bytes);
  }
  changed_.notify_all();
  return Put::taken;
}

Transfer::Take Transfer::take_body(std::span<char> buffer, std::size_t& count) {
  const std::lock_guard lock(mutex_);
  if (is_aborted_) return Take::failed;
  count = std::min(buffer.size(), to_send_.size() - sent_);
  std::memcpy(buffer.data(), to_send_.data() + sent_, count);
  sent_ += count;
  if (count > 0) return Take::some;
  if (is_fed_) return Take::end;
  wants_bytes_ = true;
  changed_.notify_all();
  return Take::later;
}

void Transfer::finish(std::optional<OutboundFailure> failure) {
  {
    const std::lock_guard lock(mutex_);
    if (is_over_) return;
    is_over_ = true;
    if (!failure_) failure_ = std::move(failure);
  }
  changed_.notify_all();
}

bool Transfer::is_aborted() const {
  const std::lock_guard lock(mutex_);
  return is_aborted_;
}

}  // namespace fw::outbound
