#include "store/redis/redis_bus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

#include "base/counted.hpp"
#include "base/url_encoding.hpp"
#include "store/redis/redis_client.hpp"

namespace fw::store {
namespace {

using std::chrono::milliseconds;

/// What waits while the server is down, with `kOverhead` for each message.
constexpr std::size_t kMaxBacklog = 8 * 1024 * 1024;
constexpr std::size_t kOverhead = 128;
/// What is sent at once, before the replies.
constexpr std::size_t kMaxBatch = 256 * 1024;
constexpr std::size_t kMaxBatchMessages = 500;
constexpr std::size_t kChannelsAtOnce = 500;
/// Connections that may end without a reply to a message, until it is the message that ends them.
constexpr std::size_t kMaxWithoutReply = 3;
/// After an outage, other processes subscribe again before messages are published.
constexpr milliseconds kSettling{1'000};
/// How long a connection must have held, so that the next attempt is not delayed for longer.
constexpr milliseconds kStable{5'000};
/// For what waits when the bus is stopped.
constexpr milliseconds kStopTime{1'000};
/// Losses are detected one by one, and logged together.
constexpr milliseconds kReportDelay{1'000};
/// Bytes of a stamp.
constexpr std::size_t kMaxStamp = 128;
/// Bytes of the protocol around a message, and of others that arrive with it.
constexpr std::size_t kAround = 256 * 1024;

std::string events(std::uint64_t count) {
  return base::counted(static_cast<std::size_t>(count), "event");
}

/// What is logged has been counted before.
template <class MakeText>
void warn(MessageBus::Observer& observer, const MakeText& make_text) noexcept {
  try {
    observer.warn(make_text());
  } catch (const std::bad_alloc&) {
    // There is no memory for the line.
  }
}

}  // namespace

std::size_t RedisBus::Waiting::size() const { return topic.size() + message.size() + kOverhead; }

RedisBus::RedisBus(const RedisStoreOptions& options, Observer& observer)
    : url_(base::parse_redis_url(options.url)),
      ca_file_(options.ca_file),
      // All databases of a server have the same channels.
      prefix_(fmt::format("{}topic:{}:", options.key_prefix, url_.database)),
      timeout_(options.timeout),
      observer_(observer) {
  if (timeout_.count() <= 0) {
    throw std::invalid_argument("the time-out of a Redis store must be positive");
  }
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe2");
  }
  wake_ = http::FileDescriptor(ends[0]);
  wake_end_ = http::FileDescriptor(ends[1]);
}

RedisBus::~RedisBus() { stop(); }

/// The last colon ends the prefix, so that two pairs of prefix and topic never have the same
/// channel.
std::string RedisBus::channel_of(std::string_view topic) const {
  return prefix_ + base::percent_encode(topic, "-._~");
}

// On any thread.

void RedisBus::start() {
  std::unique_lock lock(mutex_);
  is_started_ = true;
  const bool is_there = (subscriptions_.empty() && backlog_.empty()) || start_thread(lock);
  lock.unlock();
  if (!is_there) warn_of_no_thread();
}

/// A process that uses no topic has neither the thread nor the connections. Returns false if there
/// can be no thread: the next call tries again.
bool RedisBus::start_thread(std::unique_lock<std::mutex>&) noexcept {
  if (!is_started_ || is_stopping_ || thread_.joinable()) return true;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

/// Without the lock.
void RedisBus::warn_of_no_thread() noexcept {
  if (!no_thread_.pass()) return;
  warn(observer_, [] {
    return std::string(
        "topics: events reach the clients of this process only: there can be no thread for others");
  });
}

void RedisBus::wake() noexcept {
  if (std::exchange(is_woken_, true)) return;
  const char byte = 0;
  static_cast<void>(!::write(wake_end_.get(), &byte, 1));
}

void RedisBus::stop() noexcept {
  std::thread ended;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_stopping_, true)) return;
    stop_at_ = Clock::now() + std::min(timeout_, kStopTime);
    wake();
    ended.swap(thread_);
  }
  changed_.notify_all();
  if (ended.joinable()) ended.join();
  drop_rest();
}

void RedisBus::publish(std::string_view topic, std::string message) {
  std::uint64_t lost = 0;
  bool is_there = true;
  {
    std::unique_lock lock(mutex_);
    if (is_stopping_) {
      lost = 1;
    } else {
      backlog_.push_back({std::string(topic), std::move(message)});
      backlog_bytes_ += backlog_.back().size();
      while (backlog_bytes_ > kMaxBacklog && backlog_.size() > 1) {
        backlog_bytes_ -= backlog_.front().size();
        backlog_.pop_front();
        ++lost;
      }
      lost_ += lost;
      is_there = start_thread(lock);
      if (is_connected_) wake();
    }
  }
  if (!is_there) warn_of_no_thread();
  if (lost > 0) observer_.count_lost(lost);
}

void RedisBus::subscribe(std::string_view topic, Receiver& receiver) {
  std::string channel = channel_of(topic);
  std::unique_lock lock(mutex_);
  const auto [found, is_new] = subscriptions_.try_emplace(channel, Subscription{&receiver});
  if (!start_thread(lock)) {
    lock.unlock();
    return warn_of_no_thread();
  }
  // The rights of the user may have changed.
  if (!is_new && found->second.state != Subscription::State::refused) return;
  found->second.state = Subscription::State::asked;
  if (!is_connected_) return;
  changes_.emplace_back(true, std::move(channel));
  wake();
}

void RedisBus::unsubscribe(std::string_view topic) {
  std::string channel = channel_of(topic);
  const std::lock_guard lock(mutex_);
  if (subscriptions_.erase(channel) == 0 || !is_connected_) return;
  changes_.emplace_back(false, std::move(channel));
  wake();
}

void RedisBus::wait_until_subscribed(std::string_view topic) {
  const auto deadline = Clock::now() + timeout_;
  std::unique_lock lock(mutex_);
  if (!thread_.joinable() || thread_.get_id() == std::this_thread::get_id()) return;
  changed_.wait_until(lock, deadline, [&] {
    if (is_stopping_ || is_down_) return true;
    const auto found = subscriptions_.find(channel_of(topic));
    return found == subscriptions_.end() || found->second.state != Subscription::State::asked;
  });
}

// On the thread.

void RedisBus::run() noexcept {
  int failures = 0;
  while (true) {
    try {
      serve();
      return;
    } catch (const std::exception& error) {
      const bool was_stable = is_up_ && Clock::now() - up_since_ > kStable;
      failures = was_stable ? 1 : std::min(failures + 1, 100);
      handle_remaining_replies();
      drop_message_without_reply();
      begin_outage(error.what());
    }
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, reconnect_wait(failures), [this] { return is_stopping_; });
    if (is_stopping_) return;
  }
}

/// Returns when the bus is stopped, and throws when a connection fails.
void RedisBus::serve() {
  RedisStream publisher(url_, ca_file_, timeout_, wake_.get());
  RedisStream subscriber(url_, ca_file_, timeout_, wake_.get());
  begin_connection();
  while (true) {
    change_subscriptions(subscriber);
    if (!is_up_ && unconfirmed_ == 0) end_outage();
    report_losses();
    if (may_publish()) {
      if (in_flight_.empty()) take_messages();
      send_messages(publisher);
    }
    if (may_end()) return;
    wait(subscriber, publisher);
    handle_subscribed(subscriber);
    handle_published(publisher);
    subscriber.check();
    publisher.check();
  }
}

void RedisBus::begin_outage(std::string_view reason) noexcept {
  is_up_ = false;
  {
    const std::lock_guard lock(mutex_);
    is_connected_ = false;
    take_wakes();
    for (const auto& [subscribes, channel] : changes_) {
      if (!subscribes) numbers_.forget(channel);
    }
    changes_.clear();
    for (auto& [channel, subscription] : subscriptions_) {
      subscription.state = Subscription::State::asked;
    }
    if (std::exchange(is_down_, true) || is_stopping_) return;
  }
  changed_.notify_all();
  warn(observer_, [&] {
    return fmt::format(
        "topics: events reach the clients of this process only, until the server is there: {}",
        reason);
  });
}

/// After a connection has ended: a server that does not accept a message may close it instead of
/// replying, and would do so each time.
void RedisBus::drop_message_without_reply() noexcept {
  if (std::exchange(sent_, 0) == 0) return;
  is_one_by_one_ = true;  // so that the next time it is known which one it is
  if (++without_reply_ < kMaxWithoutReply) return;
  drop_first("the server has closed the connection each time");
}

/// Drops the first message in flight.
void RedisBus::drop_first(std::string_view reason) noexcept {
  without_reply_ = 0;
  observer_.count_lost(1);
  if (refused_.pass()) {
    warn(observer_, [&] {
      return fmt::format("topics: an event could not be sent on the channel {}: {}",
                         in_flight_.front().channel, reason);
    });
  }
  in_flight_.pop_front();
}

void RedisBus::end_outage() {
  std::uint64_t lost = 0;
  bool was_down = false;
  {
    const std::lock_guard lock(mutex_);
    was_down = std::exchange(is_down_, false);
    lost = std::exchange(lost_, 0);
  }
  changed_.notify_all();
  is_up_ = true;
  up_since_ = Clock::now();
  hold_until_ = was_down ? up_since_ + kSettling : up_since_;
  if (!was_down) return;
  if (lost == 0) return observer_.inform("topics: events reach other processes again");
  observer_.warn(fmt::format(
      "topics: events reach other processes again; {} of this process did not", events(lost)));
}

void RedisBus::begin_connection() {
  asked_.clear();
  const std::lock_guard lock(mutex_);
  is_connected_ = true;
  unconfirmed_ = subscriptions_.size();
  for (const auto& [channel, subscription] : subscriptions_) changes_.emplace_back(true, channel);
}

void RedisBus::change_subscriptions(RedisStream& subscriber) {
  std::vector<std::pair<bool, std::string>> changes;
  {
    const std::lock_guard lock(mutex_);
    changes.swap(changes_);
  }
  for (const auto& [subscribes, channel] : changes) {
    if (!subscribes) numbers_.forget(channel);
  }
  // One command for each channel, so that one that the server refuses concerns no other.
  std::string commands;
  std::size_t count = 0;
  for (auto& [subscribes, channel] : changes) {
    append_command(commands, {subscribes ? "SUBSCRIBE" : "UNSUBSCRIBE", channel});
    asked_.push_back(std::move(channel));
    if (++count < kChannelsAtOnce) continue;
    subscriber.send(std::exchange(commands, {}), std::exchange(count, 0));
  }
  if (count > 0) subscriber.send(commands, count);
}

bool RedisBus::may_publish() {
  if (!is_up_) return false;
  const std::lock_guard lock(mutex_);
  return is_stopping_ || Clock::now() >= hold_until_;
}

bool RedisBus::may_end() {
  const std::lock_guard lock(mutex_);
  if (!is_stopping_) return false;
  return (backlog_.empty() && in_flight_.empty()) || Clock::now() >= stop_at_;
}

/// Takes the next messages from the backlog and gives them their numbers.
void RedisBus::take_messages() {
  is_one_by_one_ = false;
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  while (!backlog_.empty() && bytes < kMaxBatch && in_flight_.size() < kMaxBatchMessages) {
    const Waiting& next = backlog_.front();
    std::string channel = channel_of(next.topic);
    std::string stamped = numbers_.stamp(channel, next.message);
    in_flight_.push_back({std::move(channel), std::move(stamped)});
    bytes += next.size();
    backlog_bytes_ -= next.size();
    backlog_.pop_front();
  }
}

void RedisBus::send_messages(RedisStream& publisher) {
  if (sent_ > 0 || in_flight_.empty()) return;
  sent_ = is_one_by_one_ ? 1 : in_flight_.size();
  std::string commands;
  for (std::size_t i = 0; i < sent_; ++i) {
    append_command(commands, {"PUBLISH", in_flight_[i].channel, in_flight_[i].stamped});
  }
  publisher.send(commands, sent_);
}

void RedisBus::wait(const RedisStream& subscriber, const RedisStream& publisher) {
  auto until = std::min(subscriber.next_check(), publisher.next_check());
  if (is_up_ && Clock::now() < hold_until_) until = std::min(until, hold_until_);
  {
    const std::lock_guard lock(mutex_);
    until = std::min(until, stop_at_);
    if (is_up_ && missing_ + lost_ > 0) until = std::min(until, next_report_);
  }
  if (!received_.empty()) until = Clock::now();
  std::array<pollfd, 3> waited = {{{wake_.get(), POLLIN, 0},
                                   {subscriber.descriptor(), POLLIN, 0},
                                   {publisher.descriptor(), POLLIN, 0}}};
  const auto left = std::chrono::ceil<milliseconds>(until - Clock::now()).count();
  ::poll(waited.data(), waited.size(), static_cast<int>(std::clamp<long long>(left, 0, 60'000)));
  if (waited[0].revents == 0) return;
  const std::lock_guard lock(mutex_);
  take_wakes();
}

/// With the lock.
void RedisBus::take_wakes() {
  std::array<char, 16> bytes{};
  static_cast<void>(!::read(wake_.get(), bytes.data(), bytes.size()));
  is_woken_ = false;
}

void RedisBus::handle_published(RedisStream& publisher) {
  for (const RedisReply& reply : publisher.receive()) {
    publisher.note_reply();
    if (is_pong(reply)) continue;
    if (sent_ == 0) require_no_error(reply);
    if (sent_ == 0) continue;
    --sent_;
    if (reply.type == RedisReply::Type::error) {
      drop_first(reply.text);
    } else {
      without_reply_ = 0;
      in_flight_.pop_front();
    }
  }
}

/// Passes one message at most: what receivers do with it may take long, and other things must be
/// done in between.
void RedisBus::handle_subscribed(RedisStream& subscriber) {
  if (received_.empty()) {
    for (RedisReply& reply : subscriber.receive()) received_.push_back(std::move(reply));
  }
  while (!received_.empty()) {
    if (handle_first(&subscriber)) return;
  }
  // Only a new connection gets past what is larger than memory allows.
  if (subscriber.buffered() > kMaxBusMessage + kAround) {
    observer_.count_unreadable({}, "it is too large");
    throw StoreError(fmt::format("a message has more than {} bytes", kMaxBusMessage));
  }
}

/// Handles the first reply that was received. Returns whether it was a message. Without a
/// subscriber, the connection has ended.
bool RedisBus::handle_first(RedisStream* subscriber) {
  const RedisReply reply = std::move(received_.front());
  received_.pop_front();
  const auto note_reply = [&] {
    if (subscriber != nullptr) subscriber->note_reply();
  };
  if (reply.type == RedisReply::Type::error) {
    if (asked_.empty()) require_no_error(reply);
    note_reply();
    handle_subscription_reply(true, reply.text);
    return false;
  }
  if (is_pong(reply)) {
    note_reply();
    return false;
  }
  if (reply.type != RedisReply::Type::list || reply.items.size() != 3) return false;
  const std::string& kind = reply.items[0].text;
  if (kind == "message") {
    handle_message(reply.items[1].text, reply.items[2].text);
    return true;
  }
  note_reply();
  if (kind == "subscribe") {
    handle_subscription_reply(false, {});
  } else if (!asked_.empty()) {
    asked_.pop_front();
  }
  return false;
}

/// What has arrived before the connection has ended.
void RedisBus::handle_remaining_replies() noexcept {
  try {
    while (!received_.empty()) handle_first(nullptr);
  } catch (const std::exception&) {
    // It is the same outage.
  }
  received_.clear();
}

/// The reply to the first command without one, which subscribes to a channel.
void RedisBus::handle_subscription_reply(bool is_error, std::string_view reason) {
  if (asked_.empty()) throw StoreError("Redis: a subscription that nobody has asked for");
  const std::string channel = std::move(asked_.front());
  asked_.pop_front();
  bool is_news = false;
  {
    const std::lock_guard lock(mutex_);
    if (unconfirmed_ > 0) --unconfirmed_;
    if (const auto found = subscriptions_.find(channel); found != subscriptions_.end()) {
      Subscription& subscription = found->second;
      using State = Subscription::State;
      subscription.state = is_error ? State::refused : State::confirmed;
      is_news = std::exchange(subscription.is_warned_of, is_error) != is_error;
    }
  }
  changed_.notify_all();
  if (!is_error || !is_news) return;
  observer_.warn(
      fmt::format("topics: the events of other processes on the channel {} do not arrive: {}",
                  channel, reason));
}

void RedisBus::handle_message(std::string_view channel, std::string_view stamped) {
  Receiver* receiver = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = subscriptions_.find(channel);
    // Before the confirmation, it is of an earlier subscription.
    if (found == subscriptions_.end() || found->second.state != Subscription::State::confirmed) {
      return;
    }
    receiver = found->second.receiver;
  }
  const std::string_view topic = channel.substr(prefix_.size());
  if (stamped.size() > kMaxBusMessage + kMaxStamp) {
    return observer_.count_unreadable(topic, "it is too large");
  }
  const auto reading = numbers_.read(channel, stamped);
  if (!reading) return observer_.count_unreadable(topic, "it has no number");
  if (reading->kind != MessageNumbers::Reading::Kind::fresh) return;
  if (reading->missing > 0) {
    if (missing_ == 0) next_report_ = std::max(next_report_, Clock::now() + kReportDelay);
    missing_ += reading->missing;
    observer_.count_lost(reading->missing);
  }
  receiver->receive(reading->message);
}

/// Of what is lost while the server is there: messages that arrive, or that the application
/// publishes, faster than they can be passed on, and messages of other processes in an outage.
void RedisBus::report_losses() {
  const auto now = Clock::now();
  if (!is_up_ || now < next_report_) return;
  std::uint64_t lost = 0;
  {
    const std::lock_guard lock(mutex_);
    lost = std::exchange(lost_, 0);
  }
  if (lost > 0) {
    observer_.warn(fmt::format(
        "topics: {} of this process did not reach others: too much was published at once",
        events(lost)));
  }
  report_missing();
  next_report_ = now + kReportDelay;
}

void RedisBus::report_missing() noexcept {
  if (missing_ == 0) return;
  warn(observer_, [&] {
    return fmt::format("topics: {} of other processes did not reach this one", events(missing_));
  });
  missing_ = 0;
}

/// After the thread has ended.
void RedisBus::drop_rest() noexcept {
  std::uint64_t rest = in_flight_.size();
  std::uint64_t lost = 0;
  {
    const std::lock_guard lock(mutex_);
    rest += std::exchange(backlog_, {}).size();
    backlog_bytes_ = 0;
    // Such as the process that only starts the workers of a cluster.
    if (!is_started_) return;
    lost = rest + std::exchange(lost_, 0);
  }
  in_flight_.clear();
  if (rest > 0) observer_.count_lost(rest);
  report_missing();
  if (lost == 0) return;
  warn(observer_, [&] {
    return fmt::format("topics: {} of this process did not reach others before the stop",
                       events(lost));
  });
}

std::unique_ptr<MessageBus> make_redis_bus(const RedisStoreOptions& options,
                                           MessageBus::Observer& observer) {
  return std::make_unique<RedisBus>(options, observer);
}

}  // namespace fw::store
