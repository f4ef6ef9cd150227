#include "features/events/event_channel.hpp"

#include <fairway/errors.hpp>

#include <fmt/format.h>

#include <stdexcept>

#include "base/json_text.hpp"
#include "errors/messages.hpp"
#include "features/events/event_format.hpp"

namespace fw::detail {

// docs/events.md promises less than 1 KB for an open stream.
static_assert(sizeof(EventChannel) <= 320, "an open stream takes more memory than before");

StreamCounts::Ticket StreamCounts::enter(const std::string& client) {
  if (max_ == 0) return {};
  const std::lock_guard lock(mutex_);
  Client& found = *open_.try_emplace(client).first;
  if (found.second >= max_) {
    throw status_error(429, "this client has too many open streams");
  }
  ++found.second;
  return {*this, found};
}

void StreamCounts::leave(Client& client) noexcept {
  const std::lock_guard lock(mutex_);
  if (--client.second == 0) open_.erase(open_.find(client.first));
}

StreamPolicy::StreamPolicy(std::string route_name, const EventOptions& options,
                           const ServerConfig& server)
    : route(std::move(route_name)),
      queue(options.queue, options.overflow),
      heartbeat(server.heartbeat),
      counts(static_cast<std::size_t>(
          options.max_per_address.value_or(server.max_streams_per_address))) {
  if (options.retry) retry = std::chrono::milliseconds(*options.retry);
}

EventChannel::EventChannel(std::shared_ptr<const DeclaredStream> declared,
                           std::shared_ptr<const StreamPolicy> policy, const std::string& client)
    : declared_(std::move(declared)),
      policy_(std::move(policy)),
      ticket_(policy_->counts.enter(client)),
      counted_(policy_->figures),
      queue_(policy_->queue, policy_->figures) {
  if (policy_->retry && declared_->format == StreamSchema::Format::events) {
    queue_.append(format_retry(*policy_->retry), nullptr);
  }
}

const EventChannel::Event& EventChannel::declared(std::string_view event) const {
  if (const Event* const found = declared_->find(event)) return *found;
  throw std::invalid_argument(
      fmt::format("{} does not declare the event '{}'", policy_->route, event));
}

void EventChannel::throw_violation(const Event& event, const FieldError& error) const {
  const std::string what = event.name.empty()
                               ? "a line of " + policy_->route
                               : fmt::format("the event '{}' of {}", event.name, policy_->route);
  throw std::invalid_argument(ResponseSchemas::describe(what, error));
}

std::string EventChannel::format_text(const Event& event, std::string_view json,
                                      const EventFields& fields) const {
  std::string bytes;
  if (declared_->format == StreamSchema::Format::events) {
    bytes = format_event(event.name, json, fields);
  } else {
    bytes.reserve(json.size() + 1);
    bytes.append(json) += '\n';
  }
  if (!SendQueue::is_possible(bytes.size(), policy_->queue)) {
    throw std::length_error(
        fmt::format("an event of {} with {} bytes is larger than its queue of "
                    "{} bytes: set 'events.queue'",
                    policy_->route, bytes.size(), policy_->queue.limit));
  }
  return bytes;
}

std::string EventChannel::format(const Event& event, Json data, const EventFields& fields) const {
  const auto failure = event.schema.apply(data);
  std::string bytes;
  if (!failure) bytes = format_text(event, base::to_json_text(data), fields);
  base::destroy_iteratively(data);
  if (failure) throw_violation(event, *failure);
  return bytes;
}

std::string EventChannel::format(const Event& event, const EncodableData& data,
                                 const EventFields& fields) const {
  JsonWriter writer;
  data.encode(writer, data.value);
  if (!writer.is_exact()) throw_violation(event, {"", "has a number that is not finite"});
  if (event.type != nullptr && *event.type == data.type) {
    return format_text(event, writer.content(), fields);
  }
  return format(event, data.to_tree(), fields);
}

template <class Data>
bool EventChannel::send(std::string_view event, const Data& data, const EventFields& fields) {
  const Event& found = declared(event);
  return is_open() && send(found, format(found, data, fields));
}

template <class Data>
bool EventChannel::publish(std::string_view event, const Data& data, const EventFields& fields,
                           PublishedBytes& published) {
  const Event& found = declared(event);
  SharedBytes bytes = published.find(&found, 0);
  if (!bytes) {
    if (!is_open()) return false;
    bytes = published.add(&found, 0, format(found, data, fields));
  }
  return send(found, std::move(bytes));
}

template bool EventChannel::publish(std::string_view, const EncodableData&, const EventFields&,
                                    PublishedBytes&);
template bool EventChannel::publish(std::string_view, const Json&, const EventFields&,
                                    PublishedBytes&);

template <class Data>
void EventChannel::keep_last(std::string_view event, const Data& data, const EventFields& fields) {
  const Event& found = declared(event);
  auto last = std::make_unique<const Item>(format(found, data, fields), &found);
  const std::lock_guard lock(mutex_);
  last_.swap(last);
}

bool EventChannel::send(const Event& event, QueuedBytes bytes) {
  std::shared_ptr<http::BodyWaker> waker;
  bool is_sent = true;
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::open) return false;
    switch (queue_.make_room(bytes.size(), &event)) {
      case SendQueue::Room::made:
        queue_.append(std::move(bytes), &event);
        policy_->figures.sent.fetch_add(1, std::memory_order_relaxed);
        break;
      case SendQueue::Room::none:
        queue_.count_dropped();
        break;
      case SendQueue::Room::too_slow:
      case SendQueue::Room::untried:
        cut_off();
        is_waiting_ = true;
        is_sent = false;
        break;
    }
    waker = take_waker();
  }
  if (waker) waker->wake();
  return is_sent;
}

/// The connection ends the stream; what it has not taken is of no use any more.
void EventChannel::cut_off() noexcept {
  state_ = State::closing;
  reason_ = EndOfStream::too_slow;
  queue_.clear();
  is_broken_.store(true, std::memory_order_release);
}

/// The waker to call without the lock; null if the connection need not be woken.
std::shared_ptr<http::BodyWaker> EventChannel::take_waker() {
  if (!std::exchange(is_waiting_, false)) return nullptr;
  return waker_.lock();
}

void EventChannel::close() {
  std::shared_ptr<http::BodyWaker> waker;
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::open) return;
    state_ = State::closing;
    reason_ = EndOfStream::closed;
    waker = take_waker();
  }
  if (waker) waker->wake();
}

bool EventChannel::is_open() const {
  const std::lock_guard lock(mutex_);
  return state_ == State::open;
}

std::size_t EventChannel::pending() const {
  const std::lock_guard lock(mutex_);
  return queue_.pending();
}

std::uint64_t EventChannel::dropped() const {
  const std::lock_guard lock(mutex_);
  return queue_.dropped();
}

void EventChannel::on_close(std::function<void(EndOfStream)> callback) {
  std::optional<EndOfStream> reason;
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::ended) {
      callbacks_.add(std::move(callback));
      return;
    }
    reason = reason_;
  }
  callback(*reason);
}

void EventChannel::refuse() noexcept {
  {
    const std::lock_guard lock(mutex_);
    reports_.clear();
  }
  finish(EndOfStream::not_sent);
}

void EventChannel::keep(std::shared_ptr<Cancellation> cancellation) {
  const std::lock_guard lock(mutex_);
  cancellation_ = std::move(cancellation);
}

void EventChannel::add_report(EndReports<std::uint64_t>::Report report) {
  const std::lock_guard lock(mutex_);
  reports_.add(std::move(report));
}

/// The queue has a limit of its own, and the number of streams another one.
void EventChannel::begin(std::weak_ptr<http::BodyWaker> waker,
                         std::shared_ptr<http::BufferBudget>) noexcept {
  const std::lock_guard lock(mutex_);
  waker_ = std::move(waker);
  has_begun_ = true;
}

std::optional<http::PushedBody::Part> EventChannel::take(std::span<char> buffer) noexcept {
  const std::lock_guard lock(mutex_);
  if (is_broken()) return std::nullopt;
  const std::size_t size = queue_.take(buffer);
  sent_ += size;
  const bool is_last = queue_.empty() && state_ != State::open;
  is_waiting_ = size == 0 && !is_last;
  return Part{size, is_last};
}

bool EventChannel::may_wait() noexcept {
  const std::lock_guard lock(mutex_);
  queue_.note_blocked();
  if (state_ == State::open && queue_.is_too_slow()) cut_off();
  return !is_broken();
}

std::string_view EventChannel::heartbeat() const noexcept {
  return declared_->format == StreamSchema::Format::events ? kEventHeartbeat : kLineHeartbeat;
}

void EventChannel::stop() noexcept {
  const std::lock_guard lock(mutex_);
  if (state_ != State::open) return;
  state_ = State::closing;
  reason_ = EndOfStream::stopped;
  if (!last_) return;
  try {
    queue_.append(last_->bytes, last_->event);
  } catch (const std::bad_alloc&) {
    // The stream ends without it.
  }
}

void EventChannel::end(bool is_complete) noexcept {
  bool has_begun = false;
  {
    const std::lock_guard lock(mutex_);
    has_begun = has_begun_;
  }
  if (!has_begun) return finish(EndOfStream::not_sent);
  finish(is_complete ? EndOfStream::closed : EndOfStream::disconnected);
}

/// `reason` unless there is one already.
void EventChannel::finish(EndOfStream reason) noexcept {
  EndReports<EndOfStream> callbacks;
  EndReports<std::uint64_t> reports;
  std::shared_ptr<Cancellation> cancellation;
  StreamCounts::Ticket ticket;  // counts until the callbacks have been called
  std::uint64_t sent = 0;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(state_, State::ended) == State::ended) return;
    if (!reason_ || reason == EndOfStream::not_sent) reason_ = reason;
    reason = *reason_;
    callbacks.swap(callbacks_);
    reports.swap(reports_);
    cancellation.swap(cancellation_);
    ticket = std::move(ticket_);
    counted_.end();
    queue_.clear();
    waker_.reset();
    last_.reset();
    sent = sent_;
  }
  if (cancellation) cancellation->finish();
  reports(sent);
  callbacks(reason);
}

StreamHandle& StreamHandle::operator=(StreamHandle&& other) noexcept {
  if (this == &other) return *this;
  close();
  channel_ = std::move(other.channel_);
  return *this;
}

StreamHandle::~StreamHandle() { close(); }

void StreamHandle::close() {
  if (channel_) channel_->close();
}

bool StreamHandle::is_open() const { return channel_ && channel_->is_open(); }
std::size_t StreamHandle::pending() const { return channel_ ? channel_->pending() : 0; }
std::uint64_t StreamHandle::dropped() const { return channel_ ? channel_->dropped() : 0; }

bool StreamHandle::send_data(std::string_view event, const EncodableData& data,
                             const EventFields& fields) {
  return channel_ && channel_->send(event, data, fields);
}
bool StreamHandle::send_tree(std::string_view event, const Json& data, const EventFields& fields) {
  return channel_ && channel_->send(event, data, fields);
}
void StreamHandle::keep_last(std::string_view event, const EncodableData& data,
                             const EventFields& fields) {
  if (channel_) channel_->keep_last(event, data, fields);
}
void StreamHandle::keep_last_tree(std::string_view event, const Json& data,
                                  const EventFields& fields) {
  if (channel_) channel_->keep_last(event, data, fields);
}

void StreamHandle::add_callback(std::function<void(EndOfStream)> callback) {
  if (channel_) return channel_->on_close(std::move(callback));
  callback(EndOfStream::closed);
}

}  // namespace fw::detail
