// The public classes Topic and Topics.
#include <fairway/topics.hpp>

#include <algorithm>

#include "features/events/event_channel.hpp"
#include "features/events/published_bytes.hpp"
#include "features/sockets/socket_channel.hpp"
#include "features/topics/topic_relay.hpp"

namespace fw::detail {

TopicBase::TopicBase(TopicRelay& relay, std::string name, bool (*has_event)(std::string_view))
    : relay_(relay),
      name_(std::move(name)),
      has_event_(has_event),
      link_(relay.bus() == nullptr ? nullptr : std::make_unique<TopicLink>(*this, relay)) {}
TopicBase::~TopicBase() = default;

void TopicBase::subscribe(EventStream stream) {
  {
    const std::lock_guard lock(mutex_);
    sweep();
    streams_.push_back(std::move(stream));
    if (link_) link_->subscribe();
  }
  if (link_) link_->wait_until_subscribed();
}

void TopicBase::subscribe(Socket socket) {
  {
    const std::lock_guard lock(mutex_);
    sweep();
    sockets_.insert(std::move(socket));
    if (link_) link_->subscribe();
  }
  if (link_) link_->wait_until_subscribed();
}

bool TopicBase::unsubscribe(const Socket& socket) {
  const std::lock_guard lock(mutex_);
  return sockets_.erase(socket) > 0;
}

std::size_t TopicBase::subscribers() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(streams_, &EventStream::is_open) +
                                  std::ranges::count_if(sockets_, &Socket::is_open));
}

std::size_t TopicBase::publish(std::string_view event, const EncodableData& data,
                               const EventFields& fields) {
  std::string message;
  if (link_) message = link_->encode(event, data, fields);
  PublishedBytes published;
  std::size_t count = 0;
  {
    // For both, so that clients of all processes get the events in one order.
    const std::lock_guard lock(mutex_);
    std::erase_if(streams_, [&](EventStream& each) {
      return !each.channel_ || !each.channel_->publish(event, data, fields, published);
    });
    std::erase_if(sockets_, [&](const Socket& each) {
      return !each.channel_ || !each.channel_->publish(event, data, published);
    });
    count = streams_.size() + sockets_.size();
    if (link_) link_->publish(std::move(message));
  }
  relay_.figures().published.fetch_add(1, std::memory_order_relaxed);
  relay_.figures().delivered.fetch_add(count, std::memory_order_relaxed);
  return count;
}

/// Sends an event of another process. Returns why it does not conform to a route; otherwise an
/// empty string.
std::string TopicBase::deliver(std::string_view event, const Json& data,
                               const EventFields& fields) {
  std::string problem;
  PublishedBytes published;
  std::uint64_t count = 0;
  // Whether the client is still there.
  const auto attempt = [&](const auto& send) {
    try {
      const bool is_sent = send();
      count += is_sent ? 1 : 0;
      return is_sent;
    } catch (const std::invalid_argument& error) {
      problem = error.what();
    } catch (const std::length_error& error) {
      problem = error.what();
    }
    return true;
  };
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(streams_, [&](EventStream& each) {
      return !each.channel_ ||
             !attempt([&] { return each.channel_->publish(event, data, fields, published); });
    });
    std::erase_if(sockets_, [&](const Socket& each) {
      return !each.channel_ ||
             !attempt([&] { return each.channel_->publish(event, data, published); });
    });
  }
  relay_.figures().delivered.fetch_add(count, std::memory_order_relaxed);
  return problem;
}

/// Whether events of other processes have anywhere to go. If not, they no longer arrive, until a
/// stream or socket subscribes.
bool TopicBase::is_wanted() {
  const std::lock_guard lock(mutex_);
  remove_ended();
  if (!streams_.empty() || !sockets_.empty()) return true;
  link_->unsubscribe();
  return false;
}

void TopicBase::remove_ended() {
  std::erase_if(streams_, [](const EventStream& each) { return !each.is_open(); });
  std::erase_if(sockets_, [](const Socket& each) { return !each.is_open(); });
}

/// Streams and sockets end at any time, so what remains of them is removed from time to time.
void TopicBase::sweep() {
  if (streams_.size() + sockets_.size() < sweep_at_) return;
  remove_ended();
  sweep_at_ = std::max(kMinSweep, 2 * (streams_.size() + sockets_.size()));
}

}  // namespace fw::detail

namespace fw {

Topics::Topics(std::unique_ptr<detail::TopicRelay> relay) : relay_(std::move(relay)) {}
Topics::~Topics() { relay_->stop(); }

}  // namespace fw
