// Topics: one event for everybody who has subscribed (docs/events.md).
//
//   app.topics().get<Live::Event>("orders").subscribe(res.events());
//   app.topics().get<Live::Event>("orders").publish(Live::Deleted{7});
#pragma once

#include <fairway/events.hpp>
#include <fairway/sockets.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

namespace fw {

/// The streams and sockets that have subscribed to events of the type T: a generated struct of an
/// event or a message, a std::variant of such structs, or a type of `fw::Events`. Thread-safe.
/// Reaches the clients of this process.
template <detail::EventData T>
class Topic {
 public:
  Topic() = default;  ///< for `Topics::get`
  Topic(const Topic&) = delete;
  Topic& operator=(const Topic&) = delete;

  /// Sends what is published from now on to the stream, until it ends.
  void subscribe(EventStream stream) {
    const std::lock_guard lock(mutex_);
    sweep();
    streams_.push_back(std::move(stream));
  }
  /// The same for a socket whose route declares each T in `.send`. A socket that subscribes twice
  /// gets each message twice.
  void subscribe(Socket socket) {
    const std::lock_guard lock(mutex_);
    sweep();
    sockets_.push_back(std::move(socket));
  }
  /// Sends an event to each subscribed stream, and as a message to each subscribed socket, in the
  /// order of the calls, without waiting for clients. Returns to how many. Throws what
  /// `EventStream::send` and `Socket::send` throw; the event may have been sent to some then.
  /// Sockets ignore the fields.
  std::size_t publish(const T& event, const EventFields& fields = {}) {
    const std::lock_guard lock(mutex_);
    std::erase_if(streams_, [&](EventStream& each) { return !each.send(event, fields); });
    std::erase_if(sockets_, [&](Socket& each) { return !each.send(event); });
    return streams_.size() + sockets_.size();
  }
  /// The number of subscribed streams and sockets that are open.
  std::size_t subscribers() const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::ranges::count_if(streams_, &EventStream::is_open) +
                                    std::ranges::count_if(sockets_, &Socket::is_open));
  }

 private:
  static constexpr std::size_t kMinSweep = 64;

  /// Streams and sockets end at any time, so what remains of them is removed from time to time.
  void sweep() {
    if (streams_.size() + sockets_.size() < sweep_at_) return;
    std::erase_if(streams_, [](const EventStream& each) { return !each.is_open(); });
    std::erase_if(sockets_, [](const Socket& each) { return !each.is_open(); });
    sweep_at_ = std::max(kMinSweep, 2 * (streams_.size() + sockets_.size()));
  }

  mutable std::mutex mutex_;
  std::vector<EventStream> streams_;
  std::vector<Socket> sockets_;
  std::size_t sweep_at_ = kMinSweep;
};

/// The topics of an application, by name: `app.topics()`. Thread-safe.
class Topics {
 public:
  /// The topic of that name, which exists as long as the application. Throws std::logic_error if it
  /// was created for another type, and std::length_error for more than 100,000 names.
  template <detail::EventData T>
  Topic<T>& get(std::string_view name) {
    const std::lock_guard lock(mutex_);
    auto found = topics_.find(name);
    if (found == topics_.end()) {
      if (topics_.size() == kMaxTopics) {
        throw std::length_error("there are too many topics: names must not be chosen by clients");
      }
      found =
          topics_.emplace(std::string(name), Entry{&typeid(T), std::make_shared<Topic<T>>()}).first;
    } else if (*found->second.type != typeid(T)) {
      throw std::logic_error("the topic '" + found->first + "' has events of another type");
    }
    return *static_cast<Topic<T>*>(found->second.topic.get());
  }

 private:
  static constexpr std::size_t kMaxTopics = 100'000;

  struct Entry {
    const std::type_info* type;
    std::shared_ptr<void> topic;
  };

  std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> topics_;
};

}  // namespace fw
