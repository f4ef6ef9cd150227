#include "store/redis/redis_link.hpp"

#include <fairway/store.hpp>

#include <exception>
#include <system_error>
#include <utility>

namespace fw::store {
namespace {

constexpr std::string_view kTooLate = "Redis: no reply in time";
constexpr std::string_view kClosed = "Redis: the connection was closed";
/// Short enough for a string that needs no memory.
constexpr std::string_view kNoMemory = "out of memory";
/// How long after a reply an idle connection is not checked.
constexpr std::chrono::milliseconds kTrusted{10};

std::string copy_of(std::string_view reason) noexcept {
  try {
    return std::string(reason);
  } catch (const std::bad_alloc&) {
    return std::string(kNoMemory);
  }
}

}  // namespace

RedisLink::RedisLink(const base::RedisUrl& url, const std::string& ca_file,
                     Clock::time_point deadline)
    : transport_(url, ca_file, deadline) {}

RedisLink::~RedisLink() {
  {
    std::unique_lock lock(mutex_);
    is_ending_ = true;
    fail(kClosed);
    unlock(lock);
  }
  receiver_waker_->wake();
  if (receiver_.joinable()) receiver_.join();
}

void RedisLink::Waker::wake() {
  {
    const std::lock_guard lock(mutex_);
    is_woken_ = true;
  }
  changed_.notify_one();
}

bool RedisLink::Waker::wait_until(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  const bool is_woken = changed_.wait_until(lock, deadline, [this] { return is_woken_; });
  is_woken_ = false;
  return is_woken;
}

bool RedisLink::is_up() {
  const std::lock_guard lock(mutex_);
  const bool is_idle =
      calls_.empty() && !is_receiving_ && Clock::now() - last_reply_.load() > kTrusted;
  if (failure_.empty() && is_idle) {
    std::string unexpected;
    try {
      if (!transport_.receive(unexpected) || !unexpected.empty()) fail(kClosed);
    } catch (const StoreError& error) {
      fail(error.what());
    }
  }
  return failure_.empty();
}

RedisReply RedisLink::execute(std::string_view command, Clock::time_point deadline) {
  thread_local const auto waker = std::make_shared<Waker>();
  Call call{.waker = waker, .deadline = deadline};
  std::unique_lock lock(mutex_);
  if (!failure_.empty()) throw StoreError(failure_);
  // May throw, so it comes before the call is queued.
  unsent_.reserve(unsent_.size() + command.size());
  calls_.push_back(&call);
  unsent_ += command;
  ++unsent_calls_;
  send_unsent(lock);
  while (call.is_queued && is_receiving_) {
    unlock(lock);
    const bool is_late = !waker->wait_until(deadline);
    if (call.has_ended.load(std::memory_order_acquire)) break;
    lock.lock();
    if (is_late && call.is_queued) fail_silent();
  }
  if (lock.owns_lock()) {
    if (call.is_queued) {
      receive_until_done(lock, &call);
    } else {
      unlock(lock);
    }
    // Another thread has ended the call and may be about to set `has_ended`.
    while (!call.has_ended.load(std::memory_order_acquire)) {
      waker->wait_until(Clock::time_point::max());
    }
  }
  if (!call.reply) throw StoreError(failure_);
  return std::move(*call.reply);
}

bool RedisLink::begin(std::string_view command, Clock::time_point deadline,
                      std::unique_ptr<RedisCompletion>&& completion) {
  std::unique_lock lock(mutex_);
  if (!failure_.empty() || calls_.empty()) return false;
  if (!receiver_.joinable()) {
    try {
      receiver_ = std::thread([this] { receive_for_completions(); });
    } catch (const std::system_error&) {
      return false;
    }
  }
  std::unique_ptr<Call> call(new Call{.waker = receiver_waker_, .deadline = deadline});
  unsent_.reserve(unsent_.size() + command.size());
  calls_.push_back(call.get());
  call.release()->completion = std::move(completion);
  unsent_ += command;
  ++unsent_calls_;
  send_unsent(lock);
  // If a thread waits for the first call, it receives.
  const bool needs_receiver =
      !is_receiving_ && !calls_.empty() && calls_.front()->waker == receiver_waker_;
  unlock(lock);
  if (needs_receiver) receiver_waker_->wake();
  return true;
}

/// Completes the calls that have ended, or wakes their threads: after unlocking, because they would
/// wait for the lock.
void RedisLink::unlock(std::unique_lock<std::mutex>& lock) {
  Call* ended = std::exchange(ended_, nullptr);
  lock.unlock();
  while (ended != nullptr) {
    Call& call = *std::exchange(ended, ended->next_ended);
    if (call.completion) {
      const std::unique_ptr<Call> owned(&call);
      const std::string_view failure = call.reply ? std::string_view() : failure_;
      call.completion->complete(std::move(call.reply), failure);
      continue;
    }
    const auto waker = call.waker;
    call.has_ended.store(true, std::memory_order_release);
    waker->wake();  // the call may be gone
  }
}

/// Takes the first call off the queue. Its thread learns of it when this one unlocks.
RedisLink::Call& RedisLink::end_first() {
  Call& call = *calls_.front();
  calls_.pop_front();
  call.is_queued = false;
  call.next_ended = std::exchange(ended_, &call);
  return call;
}

void RedisLink::send_unsent(std::unique_lock<std::mutex>& lock) {
  if (is_sending_ || in_flight_ > 0) return;  // the thread that sends or receives sends this, too
  is_sending_ = true;
  std::string batch;
  while (!unsent_.empty() && in_flight_ == 0 && failure_.empty()) {
    batch.clear();
    batch.swap(unsent_);
    in_flight_ = std::exchange(unsent_calls_, 0);
    // Not the deadline of the calling thread, whose own command may have been sent long ago.
    const auto deadline = calls_.front()->deadline;
    unlock(lock);
    std::string error;
    try {
      transport_.send(batch, deadline);
    } catch (const std::exception& failure) {
      error = copy_of(failure.what());
    }
    lock.lock();
    if (!error.empty()) fail(error);
  }
  is_sending_ = false;
}

/// Receives until the call has ended, or until all have if it is null. Unlocks.
void RedisLink::receive_until_done(std::unique_lock<std::mutex>& lock, const Call* call) {
  is_receiving_ = true;
  std::string received;
  std::vector<RedisReply> replies;
  while (call != nullptr ? call->is_queued : !calls_.empty()) {
    const auto deadline = call != nullptr ? call->deadline : calls_.front()->deadline;
    unlock(lock);
    received.clear();
    replies.clear();
    std::string error;
    bool is_late = false;
    try {
      if (!transport_.wait_readable(deadline)) {
        is_late = true;
      } else if (!transport_.receive(received)) {
        error = kClosed;
      }
      reader_.read(received, replies);
    } catch (const std::exception& failure) {  // for example, there is no memory for the reply
      error = copy_of(failure.what());
    }
    lock.lock();
    if (!replies.empty()) last_reply_ = Clock::now();
    pass_replies(replies);
    if (is_late) fail_silent();
    if (!error.empty()) fail(error);
    send_unsent(lock);
  }
  is_receiving_ = false;
  const auto next = calls_.empty() ? nullptr : calls_.front()->waker;
  unlock(lock);
  if (next) next->wake();
}

/// On the thread of its own.
void RedisLink::receive_for_completions() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    if (is_receiving_ || calls_.empty()) {
      unlock(lock);
      receiver_waker_->wait_until(Clock::time_point::max());
    } else {
      receive_until_done(lock, nullptr);
    }
    lock.lock();
  }
}

void RedisLink::pass_replies(std::vector<RedisReply>& replies) {
  for (RedisReply& reply : replies) {
    if (!failure_.empty()) return;
    if (in_flight_ == 0) return fail("Redis: a reply without a command");
    --in_flight_;
    end_first().reply = std::move(reply);
  }
}

void RedisLink::cancel() {
  std::unique_lock lock(mutex_);
  fail_silent();
  unlock(lock);
}

void RedisLink::fail_silent() noexcept {
  if (failure_.empty()) was_silent_ = true;
  fail(kTooLate);
}

/// Ends all waiting commands with this reason.
void RedisLink::fail(std::string_view reason) noexcept {
  if (!failure_.empty()) return;
  failure_ = copy_of(reason);
  transport_.shut_down();
  while (!calls_.empty()) end_first();
}

}  // namespace fw::store
