#include "features/sockets/socket_channel.hpp"

#include <fairway/errors.hpp>

#include <fmt/format.h>

#include <exception>
#include <stdexcept>
#include <utility>

#include "base/json_text.hpp"
#include "base/utf8.hpp"
#include "errors/exception_info.hpp"
#include "exchange/environment.hpp"
#include "exchange/response_schemas.hpp"
#include "http/websocket/permessage_deflate.hpp"

namespace fw::detail {

namespace websocket = http::websocket;

namespace {

/// Messages that wait for their handler while the client is read.
constexpr std::size_t kMaxReceived = 16;
/// Messages after which other connections get the thread.
constexpr std::size_t kMaxInTurn = 64;
/// Frames that are taken at once.
constexpr std::size_t kPart = 16 * 1024;
/// The connection reports a queue from here on as memory that a slow client uses.
constexpr std::size_t kMuch = 16 * 1024;
/// Smaller messages are not compressed.
constexpr std::size_t kMinCompressed = 256;
constexpr std::string_view kMessageType = "type";
/// The errors of a message that are sent to its client.
constexpr std::size_t kMaxErrors = 20;

/// Codes that an application may close with.
bool is_code_of_application(int code) {
  return code == websocket::kNormalClosure || code == websocket::kGoingAway ||
         code == websocket::kUnsupportedData || (code >= 1007 && code <= 1013) ||
         (code >= 3000 && code <= 4999);
}

/// `members` is a JSON object.
std::string message_text(const DeclaredMessages::Sent& message, std::string_view members) {
  std::string text = R"({"type":)";
  base::append_json_text(text, message.name);
  if (!message.has_members || members == "{}") return text += '}';
  text += ',';
  return text += members.substr(1);
}

}  // namespace

// An open socket takes 1 KB beside its connection, of which this is half.
static_assert(sizeof(SocketChannel) <= 576, "an open socket takes more memory than before");

SocketChannel::SocketChannel(std::shared_ptr<const SocketPolicy> policy, Agreement agreement,
                             const std::string& client)
    : policy_(std::move(policy)),
      agreement_(agreement),
      handlers_(*policy_, mutex_),
      ticket_(policy_->counts.enter(client)),
      counted_(policy_->figures),
      queue_(policy_->queue, policy_->figures) {}

// Sending.

const SocketChannel::Sent& SocketChannel::declared_to_send(std::string_view message) const {
  if (const Sent* const found = policy_->declared.find_sent(message)) return *found;
  throw std::invalid_argument(
      fmt::format("{} does not declare the message '{}' in 'send'", policy_->route, message));
}

void SocketChannel::throw_violation(const Sent& message, const FieldError& error) const {
  throw std::invalid_argument(ResponseSchemas::describe(
      fmt::format("the message '{}' of {}", message.name, policy_->route), error));
}

std::string SocketChannel::text_of(const Sent& message, Json data) const {
  std::optional<FieldError> failure;
  if (data.is_null()) data = Json::object();
  if (!data.is_object()) {
    failure = {"", "must be object"};
  } else if (data.contains(kMessageType)) {
    failure = {"type", "must be absent: it is the name of the message"};
  } else {
    failure = message.schema.apply(data);
  }
  std::string text;
  if (!failure) text = message_text(message, base::to_json_text(data));
  base::destroy_iteratively(data);
  if (failure) throw_violation(message, *failure);
  return text;
}

std::string SocketChannel::text_of(const Sent& message, const EncodableData& data) const {
  JsonWriter writer;
  data.encode(writer, data.value);
  if (!writer.is_exact()) throw_violation(message, {"", "has a number that is not finite"});
  const bool is_valid = message.type != nullptr && *message.type == data.type;
  return is_valid ? message_text(message, writer.content()) : text_of(message, data.to_tree());
}

std::string SocketChannel::frame_of(websocket::Opcode opcode, std::string_view content) const {
  std::string frame;
  if (is_compressed() && content.size() >= kMinCompressed) {
    const std::string payload = websocket::compress(content, agreement_.deflate_window_bits);
    if (payload.size() < content.size()) {
      websocket::append_frame(frame, opcode, payload, true);
    }
  }
  if (frame.empty()) websocket::append_frame(frame, opcode, content);
  if (!SendQueue::is_possible(frame.size(), policy_->queue)) {
    throw std::length_error(
        fmt::format("a message of {} with {} bytes is larger than its queue of {} bytes: set "
                    "'socket.queue'",
                    policy_->route, frame.size(), policy_->queue.limit));
  }
  return frame;
}

bool SocketChannel::send(std::string_view message, const EncodableData& data) {
  const Sent& declared = declared_to_send(message);
  return is_open() &&
         send_frame(frame_of(websocket::Opcode::text, text_of(declared, data)), &declared);
}

bool SocketChannel::send(std::string_view message, const Json& data) {
  const Sent& declared = declared_to_send(message);
  return is_open() &&
         send_frame(frame_of(websocket::Opcode::text, text_of(declared, data)), &declared);
}

template <class Data>
bool SocketChannel::publish(std::string_view message, const Data& data, PublishedBytes& published) {
  const Sent& declared = declared_to_send(message);
  const int window_bits = agreement_.deflate_window_bits;
  SharedBytes frame = published.find(&declared, window_bits);
  if (!frame) {
    if (!is_open()) return false;
    frame = published.add(&declared, window_bits,
                          frame_of(websocket::Opcode::text, text_of(declared, data)));
  }
  return send_frame(std::move(frame), &declared);
}

template bool SocketChannel::publish(std::string_view, const EncodableData&, PublishedBytes&);
template bool SocketChannel::publish(std::string_view, const Json&, PublishedBytes&);

bool SocketChannel::send_raw(websocket::Opcode opcode, std::string_view content) {
  if (!policy_->declared.sends_raw) {
    throw std::logic_error(fmt::format(
        "{} sends declared messages only: write .send = fw::raw for others", policy_->route));
  }
  if (opcode == websocket::Opcode::text && !base::count_code_points(content).well_formed) {
    throw std::invalid_argument("a text message must be UTF-8: send it with send_binary");
  }
  return is_open() && send_frame(frame_of(opcode, content), this);
}

bool SocketChannel::send_frame(QueuedBytes frame, const void* key) {
  std::shared_ptr<http::SocketWaker> waker;
  bool is_sent = true;
  bool is_untried = false;
  {
    const std::lock_guard lock(mutex_);
    if (has_ended_ || is_lost_ || close_code_ != 0) return false;
    is_sent = append(std::move(frame), key);
    is_untried = !queue_.is_blocked() && queue_.is_over_limit();
    waker = is_untried ? waker_.lock() : take_waker();
  }
  if (!is_untried) {
    notify(waker);
  } else if (waker) {
    waker->flush_socket();  // shows whether the client accepts it
  }
  return is_sent;
}

bool SocketChannel::append(QueuedBytes frame, const void* key) {
  switch (queue_.make_room(frame.size(), key)) {
    case SendQueue::Room::made:
      break;
    case SendQueue::Room::none:
      queue_.count_dropped();
      return true;
    case SendQueue::Room::too_slow:
      return close_too_slow();
    case SendQueue::Room::untried:
      set_close(websocket::kTryAgainLater, "the server is overloaded");
      return false;
  }
  if (!count_memory(frame.size() + SendQueue::kOverhead)) {
    queue_.clear();
    count_memory();
    set_close(websocket::kTryAgainLater, http::kNoMemory);
    return false;
  }
  const bool was_small = queue_.memory() < kMuch;
  queue_.append(std::move(frame), key);
  ++totals_.sent;
  policy_->figures.sent.fetch_add(1, std::memory_order_relaxed);
  if (queue_.is_blocked() && was_small && queue_.memory() >= kMuch) is_waiting_ = true;
  return true;
}

void SocketChannel::set_close(int code, std::string_view reason) {
  totals_.reason.reason = reason;
  close_code_ = code;
}

/// Returns false.
bool SocketChannel::close_too_slow() {
  queue_.clear();
  count_memory();
  set_close(websocket::kPolicyViolation, "the client reads too slowly");
  is_too_slow_ = is_waiting_ = true;
  return false;
}

/// Counts what is in the queues, and `more`. Returns false if the budget does not allow it.
bool SocketChannel::count_memory(std::size_t more) noexcept {
  return share_.resize(queue_.memory() + received_bytes_ + more);
}

/// The waker to call without the lock; null if the connection need not be woken.
std::shared_ptr<http::SocketWaker> SocketChannel::take_waker() {
  if (!std::exchange(is_waiting_, false)) return nullptr;
  return waker_.lock();
}

/// A handler sends on its own thread, because it may take long afterwards.
void SocketChannel::notify(const std::shared_ptr<http::SocketWaker>& waker) const noexcept {
  if (!waker) return;
  if (runner_.load(std::memory_order_relaxed) == std::this_thread::get_id()) {
    waker->flush_socket();
  } else {
    waker->wake_socket();
  }
}

void SocketChannel::close(int code, std::string_view reason) {
  if (!is_code_of_application(code)) {
    throw std::invalid_argument(
        fmt::format("a socket cannot be closed with the code {}: use 1000, or 3000 to 4999 for "
                    "meanings of the application",
                    code));
  }
  if (reason.size() > websocket::kMaxCloseReason || !base::count_code_points(reason).well_formed) {
    throw std::invalid_argument("the reason of a close must be UTF-8 of at most 123 bytes");
  }
  request_close(code, reason);
}

void SocketChannel::request_close(int code, std::string_view reason) noexcept {
  std::shared_ptr<http::SocketWaker> waker;
  try {
    const std::lock_guard lock(mutex_);
    if (has_ended_ || close_code_ != 0) return;
    set_close(code, reason);
    waker = take_waker();
  } catch (const std::bad_alloc&) {
    return;  // the connection is about to be closed for the same reason
  }
  notify(waker);
}

bool SocketChannel::is_open() const {
  const std::lock_guard lock(mutex_);
  return !has_ended_ && !is_lost_ && close_code_ == 0;
}

std::size_t SocketChannel::pending() const {
  const std::lock_guard lock(mutex_);
  return queue_.pending();
}

std::uint64_t SocketChannel::dropped() const {
  const std::lock_guard lock(mutex_);
  return queue_.dropped();
}

void SocketChannel::on_close(std::function<void(const CloseReason&)> callback) {
  CloseReason reason;
  {
    const std::lock_guard lock(mutex_);
    if (!has_finished_) {
      callbacks_.add(std::move(callback));
      return;
    }
    reason = totals_.reason;
  }
  callback(reason);
}

// The exchange.

void SocketChannel::refuse() noexcept {
  {
    const std::lock_guard lock(mutex_);
    reports_.clear();
    has_ended_ = true;
    has_finished_ = true;
  }
  finish();
}

void SocketChannel::keep(std::shared_ptr<Cancellation> cancellation) {
  const std::lock_guard lock(mutex_);
  cancellation_ = std::move(cancellation);
}

void SocketChannel::set_context(RequestContext context) {
  context_ = std::move(context);
  has_context_ = true;
}

void SocketChannel::add_report(EndReports<Totals>::Report report) {
  const std::lock_guard lock(mutex_);
  reports_.add(std::move(report));
}

// The connection.

void SocketChannel::begin(std::weak_ptr<http::SocketWaker> waker,
                          std::shared_ptr<http::BufferBudget> budget) noexcept {
  {
    const std::lock_guard lock(mutex_);
    waker_ = std::move(waker);
    has_begun_ = true;
    share_ = http::BufferBudget::OwningShare(std::move(budget));
    if (count_memory()) return;
    queue_.clear();
  }
  request_close(websocket::kTryAgainLater, http::kNoMemory);
}

bool SocketChannel::is_full() const {
  return received_.size() >= kMaxReceived || received_bytes_ >= policy_->max_message;
}

bool SocketChannel::has_room() noexcept {
  const std::lock_guard lock(mutex_);
  wants_room_ = is_full();
  return !wants_room_;
}

bool SocketChannel::receive(std::string message, bool is_text) {
  const std::lock_guard lock(mutex_);
  ++totals_.received;
  policy_->figures.received.fetch_add(1, std::memory_order_relaxed);
  if (is_closed_here()) return true;
  if (!count_memory(message.size())) return false;
  received_.push_back({std::move(message), is_text});
  received_bytes_ += received_.back().content.size();
  return true;
}

bool SocketChannel::take(std::string& frames) {
  const std::lock_guard lock(mutex_);
  const std::size_t before = frames.size();
  queue_.take_items(frames, kPart);
  totals_.bytes += frames.size() - before;
  is_waiting_ = frames.size() == before;
  if (!is_waiting_) count_memory();
  return !is_waiting_;
}

bool SocketChannel::may_wait() noexcept {
  const std::lock_guard lock(mutex_);
  queue_.note_blocked();
  if (close_code_ == 0 && queue_.is_too_slow()) {
    try {
      close_too_slow();
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  return !is_too_slow_;
}

void SocketChannel::discard() noexcept {
  const std::lock_guard lock(mutex_);
  is_lost_ = true;
  queue_.clear();
  count_memory();
}

std::size_t SocketChannel::waiting() const noexcept {
  const std::lock_guard lock(mutex_);
  return queue_.memory();
}

http::SocketClose SocketChannel::closing() noexcept {
  const std::lock_guard lock(mutex_);
  if (close_code_ == 0 || !queue_.empty()) return {};
  try {
    return {close_code_, totals_.reason.reason};
  } catch (const std::bad_alloc&) {
    return {close_code_, {}};
  }
}

void SocketChannel::stop() noexcept { request_close(websocket::kGoingAway, {}); }

void SocketChannel::end(int code, std::string_view reason, bool by_client) noexcept {
  const std::lock_guard lock(mutex_);
  if (std::exchange(has_ended_, true)) return;
  totals_.reason = {.code = code, .reason = {}, .by_client = by_client};
  try {
    totals_.reason.reason = reason;
  } catch (const std::bad_alloc&) {
    // The code is enough.
  }
  queue_.clear();
  count_memory();
}

// Running handlers.

/// The next message; nothing if there is none, or if this thread must let others run first.
bool SocketChannel::is_closed_here() const {
  return close_code_ != 0 && close_code_ != websocket::kGoingAway;
}

std::optional<SocketChannel::Message> SocketChannel::take_message(bool drops_messages,
                                                                  bool& must_wait) {
  if (drops_messages || is_closed_here()) {
    received_.clear();
    received_bytes_ = 0;
    count_memory();
  }
  // After the end, nobody would run the rest.
  if (received_.empty() || (must_wait && !has_ended_)) {
    must_wait = must_wait && !received_.empty();
    return std::nullopt;
  }
  Message message = std::move(received_.front());
  received_.pop_front();
  received_bytes_ -= message.content.size();
  count_memory();
  return message;
}

void SocketChannel::run(bool drops_messages) noexcept {
  std::shared_ptr<http::SocketWaker> waker;
  {
    const std::lock_guard lock(mutex_);
    const bool has_work = !received_.empty() || (has_ended_ && !has_finished_);
    if (is_running_ || !has_begun_ || !has_work) return;
    is_running_ = true;
  }
  const auto self = shared_from_this();  // an application may let go of its handles
  runner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  for (std::size_t count = 0;; ++count) {
    bool must_wait = count >= kMaxInTurn;
    bool ends = false;
    bool has_room = false;
    std::optional<Message> message;
    {
      const std::lock_guard lock(mutex_);
      message = take_message(drops_messages, must_wait);
      if (!message) {
        runner_.store({}, std::memory_order_relaxed);
        is_running_ = false;
        // Messages of a closed socket are dropped: its client may send its close.
        has_room = !must_wait && std::exchange(wants_room_, false);
        if (must_wait || has_room) waker = waker_.lock();
        ends = has_ended_ && !must_wait && !std::exchange(has_finished_, true);
      } else if (wants_room_ && !is_full()) {
        wants_room_ = false;
        waker = waker_.lock();
      }
    }
    if (!message) {
      if (waker && has_room) waker->wake_socket();
      if (waker && must_wait) waker->post_messages();
      if (ends) finish();
      return;
    }
    if (waker) std::exchange(waker, nullptr)->wake_socket();
    handle(std::move(*message));
  }
}

void SocketChannel::handle(Message message) noexcept {
  const CurrentContextScope scope(has_context_ ? &context_ : nullptr);
  try {
    Socket socket(shared_from_this());
    if (const auto rejection = handlers_.dispatch(message.content, message.is_text, socket)) {
      reject(*rejection);
    }
  } catch (...) {
    request_close(websocket::kInternalError, {});
    const std::exception_ptr error = std::current_exception();
    const Logger& logger = policy_->env.logger;
    if (log_lack_of_memory(logger, error)) return;
    try {
      logger.error(fmt::format("a handler of a message of {} failed", policy_->route),
                   log_fields(describe(error)));
    } catch (...) {
      // Nothing is left to report the error with: the log has failed.
    }
  }
}

/// Tells the client that its message is not valid.
void SocketChannel::reject(const MessageDispatcher::Rejection& rejection) {
  if (policy_->closes_on_invalid || rejection.code == websocket::kUnsupportedData) {
    return request_close(rejection.code, rejection.problem);
  }
  Json content = {{"type", "error"}, {"message", rejection.problem}};
  if (!rejection.message.empty()) content["received"] = rejection.message;
  if (!rejection.errors.empty()) {
    Json& list = content["errors"] = Json::array();
    for (const FieldError& error : rejection.errors) {
      if (list.size() == kMaxErrors) break;
      list.push_back({{"field", error.field}, {"message", error.message}});
    }
  }
  std::string frame;
  websocket::append_frame(frame, websocket::Opcode::text, base::to_json_text(content));
  send_frame(std::move(frame), &policy_->declared);
}

/// Once, after `has_finished_` has been set.
void SocketChannel::finish() noexcept {
  EndReports<CloseReason> callbacks;
  EndReports<Totals> reports;
  std::shared_ptr<Cancellation> cancellation;
  StreamCounts::Ticket ticket;            // counts until the callbacks have been called
  http::BufferBudget::OwningShare share;  // may be the last owner of the budget
  Totals totals;
  {
    const std::lock_guard lock(mutex_);
    callbacks.swap(callbacks_);
    reports.swap(reports_);
    cancellation.swap(cancellation_);
    ticket = std::move(ticket_);
    counted_.end();
    queue_.clear();
    waker_.reset();
    share = std::move(share_);
    totals = totals_;
  }
  const CurrentContextScope scope(has_context_ ? &context_ : nullptr);
  if (cancellation) cancellation->finish();
  reports(totals);
  callbacks(totals.reason);
  handlers_.clear();
}

}  // namespace fw::detail

namespace fw {

bool Socket::send(std::string_view message, const Json& data) {
  return channel_ && channel_->send(message, data);
}
bool Socket::send_data(std::string_view message, const detail::EncodableData& data) {
  return channel_ && channel_->send(message, data);
}
bool Socket::send_text(std::string_view text) {
  return channel_ && channel_->send_raw(http::websocket::Opcode::text, text);
}
bool Socket::send_binary(std::string_view bytes) {
  return channel_ && channel_->send_raw(http::websocket::Opcode::binary, bytes);
}
void Socket::close(int code, std::string_view reason) {
  if (channel_) channel_->close(code, reason);
}
void Socket::set_handler(std::string_view message, detail::MessageHandler handler) {
  if (channel_) channel_->handlers().set(message, std::move(handler));
}
void Socket::set_text_handler(detail::MessageHandler handler) {
  if (channel_) channel_->handlers().set_raw(true, std::move(handler));
}
void Socket::set_binary_handler(detail::MessageHandler handler) {
  if (channel_) channel_->handlers().set_raw(false, std::move(handler));
}
void Socket::add_callback(std::function<void(const CloseReason&)> callback) {
  if (channel_) return channel_->on_close(std::move(callback));
  callback({});
}
bool Socket::is_open() const { return channel_ && channel_->is_open(); }
std::size_t Socket::pending() const { return channel_ ? channel_->pending() : 0; }
std::uint64_t Socket::dropped() const { return channel_ ? channel_->dropped() : 0; }
std::string Socket::protocol() const { return channel_ ? channel_->protocol() : std::string(); }

}  // namespace fw
