#include "client/transfer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>
#include <utility>

namespace fw::client {
namespace {

/// Maximum number of received bytes that wait for the reader.
constexpr std::size_t kMaxReceived = std::size_t{256} * 1024;

}  // namespace

Transfer::Transfer(OutboundRequest request)
    : request_(std::move(request)), wants_bytes_(request_.streams_body) {}

void Transfer::start(OutboundTransport& transport) {
  try {
    auto channel = transport.open(shared_from_this());
    const std::lock_guard lock(mutex_);
    channel_ = std::move(channel);
    if (is_aborted_) channel_->cancel();
  } catch (const std::exception& error) {
    finish(OutboundFailure{.message = error.what()});
  }
}

void Transfer::abort() {
  {
    const std::lock_guard lock(mutex_);
    is_aborted_ = true;
    if (channel_) channel_->cancel();
  }
  notify();
}

void Transfer::abandon() {
  const std::lock_guard lock(mutex_);
  is_aborted_ = true;
  if (channel_) channel_->cancel();
  waker_.reset();
  http::free_memory(received_);
  read_ = 0;
  if (share_) share_->release();
}

void Transfer::close() { release(); }

void Transfer::detach(Detachment detachment) {
  {
    const std::lock_guard lock(mutex_);
    is_detached_ = true;
    http::free_memory(received_);
    read_ = 0;
    is_full_ = false;
  }
  if (const auto channel = release()) channel->detach(std::move(detachment));
}

/// What ends with the caller; the channel is destroyed without the lock.
std::unique_ptr<Channel> Transfer::release() {
  std::unique_ptr<Channel> channel;
  // The budget belongs to a server that may end before the thread of the channel has let go of
  // this.
  std::shared_ptr<http::BufferBudget> buffers;
  const std::lock_guard lock(mutex_);
  channel.swap(channel_);
  waker_.reset();
  share_.reset();
  buffers.swap(buffers_);
  return channel;
}

void Transfer::notify() {
  changed_.notify_all();
  std::shared_ptr<http::BodyWaker> waker;
  {
    const std::lock_guard lock(mutex_);
    waker = take_waker();
  }
  if (waker) waker->wake();
}

/// The waker to call without the lock; null if nobody need be woken.
std::shared_ptr<http::BodyWaker> Transfer::take_waker() {
  if (!std::exchange(must_wake_, false)) return nullptr;
  return waker_.lock();
}

/// Returns false if the deadline has expired.
bool Transfer::wait(std::unique_lock<std::mutex>& lock, Deadline deadline, auto is_over) {
  const auto has_ended = [&] { return is_over() || is_over_ || is_aborted_; };
  if (deadline) return changed_.wait_until(lock, *deadline, has_ended);
  changed_.wait(lock, has_ended);
  return true;
}

Transfer::Outcome Transfer::wait_for_head(Deadline deadline) {
  std::unique_lock lock(mutex_);
  const bool in_time = wait(lock, deadline, [this] { return has_head_ || wants_bytes_; });
  if (is_aborted_) return Outcome::aborted;
  if (has_head_) return Outcome::ready;
  if (is_over_) return Outcome::failed;
  return in_time ? Outcome::feed : Outcome::timed_out;
}

Transfer::Outcome Transfer::wait_to_feed(Deadline deadline) {
  std::unique_lock lock(mutex_);
  const bool in_time = wait(lock, deadline, [this] { return wants_bytes_ || is_full_; });
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
  if (channel_) channel_->resume();
}

void Transfer::stop_feeding() {
  {
    const std::lock_guard lock(mutex_);
    is_cut_off_ = true;
    wants_bytes_ = false;
  }
  // A channel that waits for bytes would not see the end of the response.
  if (channel_) channel_->resume();
}

Transfer::Outcome Transfer::wait_until_sent(Deadline deadline) {
  std::unique_lock lock(mutex_);
  const auto is_over = [&] {
    if (is_full_) return true;
    if (!progress_) return false;
    // Without content that can be waited for, the transfer ends with its request.
    return progress_->has_sent_request ||
           (!progress_->knows_sent_request && !progress_->has_whole_response);
  };
  const std::uint64_t before = progress_ ? progress_->sent : 0;
  const bool in_time =
      wait(lock, deadline, [&] { return is_over() || (progress_ && progress_->sent != before); });
  if (is_aborted_) return Outcome::aborted;
  if (is_over_) return failure_ ? Outcome::failed : Outcome::ready;
  if (is_over()) return Outcome::ready;
  return in_time ? Outcome::later : Outcome::timed_out;
}

Transfer::Outcome Transfer::read(std::span<char> buffer, std::size_t& count, Deadline deadline) {
  std::unique_lock lock(mutex_);
  wait(lock, deadline, [this] { return read_ < received_.size() || wants_bytes_; });
  return take_received(lock, buffer, count).value_or(Outcome::timed_out);
}

Transfer::Outcome Transfer::try_read(std::span<char> buffer, std::size_t& count) {
  std::unique_lock lock(mutex_);
  if (const auto outcome = take_received(lock, buffer, count)) return *outcome;
  must_wake_ = true;
  http::free_memory(received_);  // there may be nothing for long
  return Outcome::later;
}

/// Nothing if nothing has arrived. May release the lock.
std::optional<Transfer::Outcome> Transfer::take_received(std::unique_lock<std::mutex>& lock,
                                                         std::span<char> buffer,
                                                         std::size_t& count) {
  if (is_aborted_) return Outcome::aborted;
  if (read_ == received_.size()) {
    if (is_over_) return failure_ ? Outcome::failed : Outcome::end;
    if (wants_bytes_) return Outcome::feed;
    return std::nullopt;
  }
  count = std::min(buffer.size(), received_.size() - read_);
  std::memcpy(buffer.data(), received_.data() + read_, count);
  read_ += count;
  if (read_ < received_.size()) return Outcome::ready;
  received_.clear();
  read_ = 0;
  if (share_) share_->release();
  const bool has_room = std::exchange(is_full_, false);
  lock.unlock();
  if (has_room && channel_) channel_->resume();
  return Outcome::ready;
}

void Transfer::watch(std::weak_ptr<http::BodyWaker> waker,
                     std::shared_ptr<http::BufferBudget> buffers) {
  const std::lock_guard lock(mutex_);
  waker_ = std::move(waker);
  if (!buffers) return;
  share_.reset();
  buffers_ = std::move(buffers);
  share_.emplace(*buffers_);
  count_received(received_.size());
}

/// Counts so many bytes of `received_`. Returns false if there is no memory for them: the transfer
/// fails then.
bool Transfer::count_received(std::size_t size) {
  if (!share_ || share_->resize(size)) return true;
  if (!is_over_) failure_ = OutboundFailure{.message = "the server is out of buffer memory"};
  is_over_ = true;
  return false;
}

std::size_t Transfer::counted() const {
  const std::lock_guard lock(mutex_);
  return share_ ? share_->size() : 0;
}

bool Transfer::is_complete() const {
  const std::lock_guard lock(mutex_);
  return is_over_ && !failure_ && !is_aborted_;
}

bool Transfer::has_sent_request() const {
  const std::lock_guard lock(mutex_);
  return progress_ && progress_->has_sent_request;
}

bool Transfer::has_ended() const {
  const std::lock_guard lock(mutex_);
  return is_over_ || is_aborted_;
}

void Transfer::put_head(int status, http::Fields fields, std::string_view http_version) {
  const std::lock_guard lock(mutex_);
  status_ = status;
  http_version_ = http_version;
  fields_ = std::move(fields);
  has_head_ = true;
}

Transfer::Put Transfer::put_body(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (is_aborted_ || is_over_) return Put::rejected;
  if (is_detached_) return Put::taken;
  // While much memory is in use, a slow client makes its upstream wait before others are cut off.
  const bool is_scarce = buffers_ && buffers_->excess() > 0;
  const bool has_room = !is_scarce && received_.size() + bytes.size() <= kMaxReceived;
  if (read_ < received_.size() && !has_room) {
    is_full_ = true;
    return Put::full;
  }
  const std::size_t size = received_.size() + bytes.size();
  if (!count_received(size)) return Put::rejected;
  // A power of two, as the maximum is; a string that grows may take twice as much.
  received_.reserve(std::bit_ceil(size));
  received_.append(bytes);
  return Put::taken;
}

Transfer::Take Transfer::take_body(std::span<char> buffer, std::size_t& count) {
  const std::lock_guard lock(mutex_);
  if (is_aborted_ || is_cut_off_) return Take::failed;
  count = std::min(buffer.size(), to_send_.size() - sent_);
  std::memcpy(buffer.data(), to_send_.data() + sent_, count);
  sent_ += count;
  if (count > 0) return Take::some;
  if (is_fed_) return Take::end;
  wants_bytes_ = true;
  return Take::later;
}

void Transfer::put_progress(const Progress& progress) {
  const std::lock_guard lock(mutex_);
  progress_ = progress;
}

void Transfer::finish(std::optional<OutboundFailure> failure) {
  const std::lock_guard lock(mutex_);
  if (is_over_) return;
  is_over_ = true;
  failure_ = std::move(failure);
}

}  // namespace fw::client
