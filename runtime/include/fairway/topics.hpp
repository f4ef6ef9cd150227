// Topics: one event for everybody who has subscribed (docs/topics.md).
//
//   app.topics().get<Live::Event>("orders").subscribe(res.events());
//   app.topics().get<Live::Event>("orders").publish(Live::Deleted{7});
#pragma once

#include <fairway/events.hpp>
#include <fairway/sockets.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace fw {
namespace detail {

struct Access;
class TopicLink;
class TopicRelay;

/// Whether the events of the type T, or of one alternative of a std::variant, have that name.
template <class T>
bool has_event(std::string_view name) {
  if constexpr (kIsVariant<T>) {
    return []<class... Types>(std::type_identity<std::variant<Types...>>, std::string_view wanted) {
      return (has_event<Types>(wanted) || ...);
    }(std::type_identity<T>(), name);
  } else {
    return event_name<T>() == name;
  }
}

/// A topic of any type.
class TopicBase {
 public:
  /// Sends what is published from now on to the stream, until it ends. If the topic reaches other
  /// processes, the first call waits until their events arrive, for `store.timeout` at most, and
  /// not while Redis is down.
  void subscribe(EventStream stream);
  /// The same for a socket whose route declares each event in `.send`. A socket that subscribes
  /// again gets each message once, as before.
  void subscribe(Socket socket);
  /// Ends the subscription of a socket, which stays open. Returns whether there was one.
  bool unsubscribe(const Socket& socket);
  /// The number of subscribed streams and sockets of this process that are open.
  std::size_t subscribers() const;

 protected:
  TopicBase(TopicRelay& relay, std::string name, bool (*has_event)(std::string_view));
  ~TopicBase();
  TopicBase(const TopicBase&) = delete;
  TopicBase& operator=(const TopicBase&) = delete;

  std::size_t publish(std::string_view event, const EncodableData& data, const EventFields& fields);

 private:
  friend class TopicLink;

  static constexpr std::size_t kMinSweep = 64;

  /// By which a topic finds a socket.
  struct Identity {
    std::size_t operator()(const Socket& socket) const noexcept {
      return std::hash<std::shared_ptr<SocketChannel>>()(socket.channel_);
    }
    bool operator()(const Socket& one, const Socket& other) const noexcept {
      return one.channel_ == other.channel_;
    }
  };

  void remove_ended();
  void sweep();
  bool is_wanted();
  std::string deliver(std::string_view event, const Json& data, const EventFields& fields);

  TopicRelay& relay_;
  const std::string name_;
  bool (*const has_event_)(std::string_view name);
  const std::unique_ptr<TopicLink> link_;  ///< null if it does not reach other processes

  mutable std::mutex mutex_;  ///< guards the following members
  std::vector<EventStream> streams_;
  std::unordered_set<Socket, Identity, Identity> sockets_;
  std::size_t sweep_at_ = kMinSweep;
};

}  // namespace detail

/// The streams and sockets that have subscribed to events of the type T: a generated struct of an
/// event or a message, a std::variant of such structs, or a type of `fw::Events`. Thread-safe. With
/// the store "redis", events reach the clients of all processes, and of this process without it.
template <detail::EventData T>
class Topic : public detail::TopicBase {
 public:
  /// For `Topics::get`.
  Topic(detail::TopicRelay& relay, std::string name)
      : TopicBase(relay, std::move(name), detail::has_event<T>) {}

  /// Sends an event to each subscribed stream, and as a message to each subscribed socket, in the
  /// order of the calls, without waiting for clients or other processes. Returns to how many of
  /// this process. Throws what `EventStream::send` and `Socket::send` throw; the event may have
  /// been sent to some of this process then, but not to other processes. Sockets ignore the fields.
  std::size_t publish(const T& event, const EventFields& fields = {}) {
    return publish_one(event, fields);
  }

 private:
  template <class Event>
  std::size_t publish_one(const Event& event, const EventFields& fields) {
    if constexpr (detail::kIsVariant<Event>) {
      return std::visit([&](const auto& one) { return publish_one(one, fields); }, event);
    } else {
      return TopicBase::publish(detail::event_name<Event>(), detail::event_data(event), fields);
    }
  }
};

/// The topics of an application, by name: `app.topics()`. Thread-safe.
class Topics {
 public:
  /// For the framework.
  explicit Topics(std::unique_ptr<detail::TopicRelay> relay);
  ~Topics();
  Topics(const Topics&) = delete;
  Topics& operator=(const Topics&) = delete;

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
      auto made = std::make_shared<Topic<T>>(*relay_, std::string(name));
      found = topics_.emplace(std::string(name), Entry{&typeid(T), std::move(made)}).first;
    } else if (*found->second.type != typeid(T)) {
      throw std::logic_error("the topic '" + found->first + "' has events of another type");
    }
    return *static_cast<Topic<T>*>(found->second.topic.get());
  }

 private:
  friend struct detail::Access;

  static constexpr std::size_t kMaxTopics = 100'000;

  struct Entry {
    const std::type_info* type;
    std::shared_ptr<void> topic;
  };

  const std::unique_ptr<detail::TopicRelay> relay_;  // topics refer to it
  std::mutex mutex_;                                 // guards the following member
  std::map<std::string, Entry, std::less<>> topics_;
};

}  // namespace fw
