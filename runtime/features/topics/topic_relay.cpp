#include "features/topics/topic_relay.hpp"

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/json_text.hpp"
#include "exchange/json_body.hpp"
#include "features/events/event_format.hpp"

namespace fw::detail {
namespace {

/// Of a message, because each value may take a hundred bytes in memory.
constexpr std::size_t kMaxValues = 1'000'000;

/// Throws std::invalid_argument for fields that no stream can have, also if only sockets get the
/// event.
void require_fields(std::string_view event, const EventFields& fields) {
  static_cast<void>(format_event(event, {}, fields));
}

/// The event of a message: {"event": …, "id": …, "retry": …, "data": …}. Other members are of later
/// versions. Returns the reason if it is none.
std::string read_message(const Json& message, std::string& event, EventFields& fields) {
  if (!message.is_object()) return "it is no JSON object";
  const auto name = message.find("event");
  if (name == message.end() || !name->is_string()) return "it has no name of an event";
  if (!message.contains("data")) return "it has no data";
  event = name->get<std::string>();
  if (const auto id = message.find("id"); id != message.end()) {
    if (!id->is_string()) return "its id is no string";
    fields.id = id->get<std::string>();
  }
  if (const auto retry = message.find("retry"); retry != message.end()) {
    if (!retry->is_number_integer()) return "its retry is no integer";
    fields.retry = retry->get<std::int64_t>();
  }
  return {};
}

}  // namespace

TopicRelay::TopicRelay(const StoreConfig& store, const Logger& logger) : logger_(logger) {
  if (store.type != StoreType::redis) return;
  try {
    bus_ = store::make_redis_bus({.url = store.url,
                                  .key_prefix = store.key_prefix,
                                  .timeout = store.timeout,
                                  .ca_file = store.ca_file},
                                 *this);
  } catch (const std::invalid_argument&) {
    // The start reports it of the store.
  }
}

void TopicRelay::start() {
  if (bus_) bus_->start();
}

void TopicRelay::stop() noexcept {
  if (bus_) bus_->stop();
}

void TopicRelay::count_lost(std::uint64_t messages) noexcept {
  figures_.lost.fetch_add(messages, std::memory_order_relaxed);
}

void TopicRelay::count_unreadable(std::string_view topic, std::string_view reason) noexcept {
  figures_.unreadable.fetch_add(1, std::memory_order_relaxed);
  if (!unreadable_.pass()) return;
  try {
    const std::string where = topic.empty() ? "" : fmt::format(" in the topic '{}'", topic);
    logger_.warn(
        fmt::format("topics: an event of another process cannot be read{}: {}", where, reason));
  } catch (const std::exception&) {
    // It has been counted.
  }
}

void TopicRelay::inform(const std::string& text) noexcept {
  try {
    logger_.info(text);
  } catch (const std::exception&) {
    // Nothing is left to report it with.
  }
}

void TopicRelay::warn(const std::string& text) noexcept {
  try {
    logger_.warn(text);
  } catch (const std::exception&) {
    // Nothing is left to report it with.
  }
}

std::string TopicLink::encode(std::string_view event, const EncodableData& data,
                              const EventFields& fields) const {
  JsonWriter writer;
  data.encode(writer, data.value);
  if (!writer.is_exact()) {
    throw std::invalid_argument(
        fmt::format("the event '{}' has a number that is not finite", event));
  }
  require_fields(event, fields);
  std::string message = R"({"event":)";
  base::append_json_text(message, event);
  if (fields.id) base::append_json_text(message += R"(,"id":)", *fields.id);
  if (fields.retry) message.append(R"(,"retry":)").append(std::to_string(fields.retry->count()));
  message.append(R"(,"data":)").append(writer.content()) += '}';
  if (message.size() > store::kMaxBusMessage) {
    throw std::length_error(
        fmt::format("an event of the topic '{}' with {} bytes is too large for other processes: "
                    "the most is {}",
                    topic_.name_, message.size(), store::kMaxBusMessage));
  }
  return message;
}

void TopicLink::publish(std::string message) {
  relay_.bus()->publish(topic_.name_, std::move(message));
}
void TopicLink::subscribe() { relay_.bus()->subscribe(topic_.name_, *this); }
void TopicLink::unsubscribe() { relay_.bus()->unsubscribe(topic_.name_); }
void TopicLink::wait_until_subscribed() { relay_.bus()->wait_until_subscribed(topic_.name_); }

void TopicLink::receive(std::string_view message) noexcept {
  try {
    if (!topic_.is_wanted()) return;
    const std::string problem = deliver(message);
    if (!problem.empty()) relay_.count_unreadable(topic_.name_, problem);
  } catch (const std::exception& error) {
    relay_.count_unreadable(topic_.name_, error.what());
  }
}

/// Returns why the message cannot be read, or an empty string.
std::string TopicLink::deliver(std::string_view message) {
  if (has_more_values_than(kMaxValues, message)) return "it has too many values";
  std::string text;
  text.reserve(message.size() + kBodyPadding);
  text = message;
  std::optional<Json> tree = parse_json_body(text);
  if (!tree) return "it is no JSON";
  std::string event;
  EventFields fields;
  std::string problem = read_message(*tree, event, fields);
  if (problem.empty() && !topic_.has_event_(event)) problem = "the topic has no event of that name";
  if (problem.empty()) {
    require_fields(event, fields);
    problem = topic_.deliver(event, (*tree)["data"], fields);
  }
  base::destroy_iteratively(*tree);
  return problem;
}

}  // namespace fw::detail
