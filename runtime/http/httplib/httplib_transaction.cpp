#include "http/httplib/httplib_transaction.hpp"

#include <poll.h>
#include <utility>
#include <vector>

#include "base/wake_up.hpp"
#include "http/response_head.hpp"
#include "http/websocket/handshake.hpp"

namespace fw::http {
namespace {

/// Unread bodies of up to this size are skipped to keep the connection.
constexpr std::uint64_t kMaxDrained = 64 * 1024;
constexpr std::chrono::milliseconds kMonitorInterval{50};
constexpr auto kNever = std::chrono::steady_clock::time_point::max();

/// Whether the connection has failed in both directions.
bool has_failed(int fd) {
  pollfd state{fd, 0, 0};
  return poll(&state, 1, 0) > 0 && (state.revents & (POLLERR | POLLHUP)) != 0;
}

}  // namespace

DisconnectMonitor::DisconnectMonitor()
    : thread_([this](const std::stop_token& stop) { run(stop); }) {}

void DisconnectMonitor::watch(int fd, DisconnectCallback& callback) {
  const std::lock_guard lock(mutex_);
  std::swap(watched_[fd], callback);
  changed_.notify_one();
}

DisconnectCallback DisconnectMonitor::forget(int fd) {
  const std::lock_guard lock(mutex_);
  const auto node = watched_.extract(fd);
  return node ? std::move(node.mapped()) : DisconnectCallback();
}

void DisconnectMonitor::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (watched_.empty()) {
      changed_.wait(lock, stop, [this] { return !watched_.empty(); });
    } else {
      changed_.wait_for(lock, stop, kMonitorInterval, [&] { return stop.stop_requested(); });
    }
    std::vector<DisconnectCallback> callbacks;
    for (auto it = watched_.begin(); it != watched_.end();) {
      if (!has_ended(it->first)) {
        ++it;
        continue;
      }
      it->second.mark_lost();
      callbacks.push_back(std::move(it->second));
      it = watched_.erase(it);
    }
    lock.unlock();
    for (const auto& callback : callbacks) callback();
    lock.lock();
  }
}

HttplibTransaction::HttplibTransaction(RequestHead head, const Framing& framing,
                                       SocketStream& stream, DisconnectMonitor& monitor,
                                       bool is_last)
    : head_(std::move(head)),
      framing_(framing),
      monitor_(monitor),
      has_whole_body_(!framing.has_body()),
      stream_(&stream),
      // Bytes after a CONNECT are for the other end of a tunnel.
      closes_(is_last || !framing.keep_alive || head_.method == "CONNECT") {}

void HttplibTransaction::begin_body() {
  stream_->begin_body();
  is_readable_ = true;
}

void HttplibTransaction::receive_body(std::unique_ptr<RequestPlan> plan) {
  plan_ = std::move(plan);
  if (const std::uint64_t limit = plan_ ? plan_->body_limit() : 0; limit > 0) receive_body(limit);
}

void HttplibTransaction::receive_body(std::uint64_t limit) {
  while (!received_) received_ = receive(limit, received_body_, kNever);
}

BodyStatus HttplibTransaction::read_body(std::uint64_t limit, std::string& body) {
  receive_body(limit);
  body.clear();
  if (*received_ == BodyStatus::complete && received_body_.size() > limit) {
    return BodyStatus::too_large;
  }
  body = std::exchange(received_body_, {});
  return *received_;
}

BodyPart HttplibTransaction::read_body_part(std::uint64_t limit, std::span<char> buffer,
                                            std::chrono::steady_clock::time_point until) {
  if (taken_ == received_body_.size() && !received_) {
    received_body_.clear();
    taken_ = 0;
    received_ = receive(limit, received_body_, until);
  }
  const bool is_usable = !received_ || *received_ == BodyStatus::complete;
  if (is_usable && taken_ < received_body_.size()) {
    const auto size = received_body_.copy(buffer.data(), buffer.size(), taken_);
    taken_ += size;
    return {size, BodyStatus::complete};
  }
  return {0, received_.value_or(BodyStatus::complete)};
}

/// Receives until there is content, and returns nothing; or until the body has ended, and returns
/// its status.
std::optional<BodyStatus> HttplibTransaction::receive(std::uint64_t limit, std::string& content,
                                                      std::chrono::steady_clock::time_point until) {
  if (const auto ended = begin_receiving(limit)) return *ended;
  const auto content_before = content.size();
  while (content.size() == content_before) {
    auto rest = stream_->input();
    const auto before = rest.size();
    const auto status = final_status(decoder_->decode(rest, &content));
    stream_->consume(before - rest.size());
    has_whole_body_ = status == BodyStatus::complete;
    if (status) return *status;
    if (content.size() > content_before) break;
    if (stream_->receive_more(until)) continue;
    switch (stream_->failure()) {
      case SocketStream::Failure::closed:
        return BodyStatus::disconnected;
      case SocketStream::Failure::timed_out:
        return BodyStatus::timed_out;
      default:
        return BodyStatus::malformed;
    }
  }
  left_at_ = coarse_now();
  return std::nullopt;
}

/// The status of a body that cannot be read.
std::optional<BodyStatus> HttplibTransaction::begin_receiving(std::uint64_t limit) {
  if (has_whole_body_) return BodyStatus::complete;
  if (decoder_) {
    if (has_response()) return BodyStatus::disconnected;
    stream_->excuse(coarse_now() - left_at_);
    return std::nullopt;
  }
  if (!std::exchange(is_readable_, false)) return BodyStatus::disconnected;
  if (framing_.content_length.value_or(0) > limit) return BodyStatus::too_large;
  if (!send_continue()) return BodyStatus::disconnected;
  decoder_.emplace(framing_, limit);
  stream_->begin_body();
  return std::nullopt;
}

/// Returns false if the response has begun, so that nothing may precede it, or if the client
/// accepts no data.
bool HttplibTransaction::send_continue() {
  const std::lock_guard lock(mutex_);
  if (has_response_) return false;
  if (!framing_.expects_continue || stream_->buffered() > 0) return true;
  const bool is_sent = stream_->send_some(kContinue) == kContinue.size();
  if (!is_sent) stream_->cut_off();
  return is_sent;
}

bool HttplibTransaction::can_complete_body() const {
  return has_whole_body_ || (is_readable_ && framing_.content_length &&
                             !framing_.expects_continue && *framing_.content_length <= kMaxDrained);
}

bool HttplibTransaction::respond(const ResponseHead& head, std::string_view body) {
  check_response_head(head);
  const std::lock_guard lock(mutex_);
  if (has_response_) return false;
  const bool has_body = allows_body(head.status);
  auto bytes = begin_response(head, has_body ? BodyEnd::length : BodyEnd::no_body, body.size());
  if (has_body && head_.method != "HEAD") bytes.append(body);
  end_watch();  // a client may close after it has read the response
  send_without_waiting(std::move(bytes));
  return true;
}

/// Lets the thread of the connection wait for a pushed body.
class HttplibTransaction::Waker final : public BodyWaker {
 public:
  void wake() noexcept override { wake_up_.wake(); }
  void wait_for(std::chrono::milliseconds time) {
    wake_up_.wait_until(std::chrono::steady_clock::now() + time);
  }

 private:
  base::WakeUp wake_up_;
};

bool HttplibTransaction::respond_stream(const ResponseHead& head,
                                        std::optional<std::uint64_t> length, BodyProducer produce,
                                        StreamEnd ended) {
  const auto is_streamed =
      respond_with(head, length, [&](BodyEnd end, std::function<void()> before_last) {
        return std::make_unique<ResponseStream>(
            end, length, std::move(produce), std::move(before_last), std::exchange(ended, nullptr));
      });
  if (!is_streamed) return false;
  if (!*is_streamed && ended) ended(nullptr);
  return true;
}

bool HttplibTransaction::respond_pushed(const ResponseHead& head,
                                        std::shared_ptr<PushedBody> body) {
  const auto is_streamed =
      respond_with(head, body->length(), [&](BodyEnd end, std::function<void()> before_last) {
        waker_ = std::make_shared<Waker>();
        body->begin(waker_, nullptr);
        watch_has_ended_ = true;  // for callbacks that are not set yet
        return std::make_unique<ResponseStream>(end, body, std::move(before_last));
      });
  if (!is_streamed) return false;
  if (!*is_streamed) body->end(false);
  return true;
}

/// Responds with the stream that `make_stream` returns. Returns whether there is one; nothing if
/// there is a response already.
template <class MakeStream>
std::optional<bool> HttplibTransaction::respond_with(const ResponseHead& head,
                                                     std::optional<std::uint64_t> length,
                                                     const MakeStream& make_stream) {
  check_response_head(head);
  std::unique_ptr<ResponseStream> dropped;
  bool is_streamed = false;
  {
    const std::lock_guard lock(mutex_);
    if (has_response_) return std::nullopt;
    auto end = BodyEnd::chunked;
    if (!allows_body(head.status)) {
      end = BodyEnd::no_body;
    } else if (length) {
      end = BodyEnd::length;
    } else if (framing_.is_http_1_0) {
      end = BodyEnd::connection_close;
      closes_ = true;
      stream_->end_response_by_close();
    }
    auto bytes = begin_response(head, end, length.value_or(0));
    is_streamed = end != BodyEnd::no_body && head_.method != "HEAD";
    if (is_streamed) {
      response_stream_ = make_stream(end, [this] {
        const std::lock_guard last_lock(mutex_);
        end_watch();
      });
    } else {
      end_watch();
    }
    send_without_waiting(std::move(bytes));
    if (stream_->is_cut_off()) dropped = std::move(response_stream_);
  }
  return is_streamed;
}

/// Sends a pushed body until it ends. Returns false if it cannot be completed.
bool HttplibTransaction::push(ResponseStream& stream) {
  using State = ResponseStream::State;
  PushedBody& body = *stream.pushed();
  auto heartbeat_at = coarse_now() + body.heartbeat_interval().count();
  bool has_probed = false;
  while (true) {
    if (has_failed(stream_->fd())) return false;
    if (stream_->is_stopping()) body.stop();
    auto bytes = stream.next();
    const bool is_probe = !has_probed && has_ended(stream_->fd());
    const auto now = coarse_now();
    if (stream.state() == State::waiting && (is_probe || now >= heartbeat_at)) {
      bytes = stream.heartbeat();
      has_probed = has_probed || is_probe;
    }
    if (!bytes.empty()) {
      if (!stream_->send(bytes)) return false;
      heartbeat_at = coarse_now() + body.heartbeat_interval().count();
    }
    if (stream.state() == State::complete) return true;
    if (stream.state() == State::broken) return false;
    if (stream.state() == State::waiting) waker_->wait_for(kMonitorInterval);
  }
}

std::string HttplibTransaction::begin_response(const ResponseHead& head, BodyEnd end,
                                               std::uint64_t length) {
  // A responder on another thread does not know whether the handler is still reading the body.
  closes_ |= asks_to_close(head) || websocket::rejects_handshake(head_, head.status) ||
             stream_->is_stopping() || std::this_thread::get_id() != thread_ ||
             !can_complete_body();
  const auto otherwise = framing_.is_http_1_0 ? ConnectionField::keep_alive : ConnectionField::none;
  detail::TextWriter bytes;
  write_response_head(bytes, head, end, length, closes_ ? ConnectionField::close : otherwise);
  return std::string(bytes.content());
}

void HttplibTransaction::send_without_waiting(std::string bytes) {
  has_response_ = true;
  const std::size_t sent = stream_->send_some(bytes);
  if (sent < bytes.size()) unsent_ = std::move(bytes.erase(0, sent));
  if (std::this_thread::get_id() != thread_) stream_->end_reading();
}

bool HttplibTransaction::has_response() const {
  const std::lock_guard lock(mutex_);
  return has_response_;
}

void HttplibTransaction::on_disconnect(DisconnectCallback callback) {
  {
    const std::lock_guard lock(mutex_);
    if (watch_has_ended_) return;
    if (!stream_->is_cut_off() && !has_ended(stream_->fd())) {
      return monitor_.watch(stream_->fd(), callback);
    }
  }
  callback();
}

DisconnectCallback HttplibTransaction::end_watch() {
  watch_has_ended_ = true;
  return monitor_.forget(stream_->fd());
}

bool HttplibTransaction::finish() {
  std::unique_lock lock(mutex_);  // waits for a responder on another thread
  const auto rest = std::move(unsent_);
  auto response_stream = std::move(response_stream_);
  lock.unlock();
  bool is_whole = stream_->send(rest);
  if (response_stream) {
    if (response_stream->pushed() != nullptr) is_whole = is_whole && push(*response_stream);
    while (is_whole && response_stream->state() == ResponseStream::State::more) {
      is_whole = stream_->send(response_stream->next());
    }
    is_whole = is_whole && response_stream->state() == ResponseStream::State::complete;
    if (is_whole && response_stream->ends_with_connection()) stream_->end_output();
  }
  lock.lock();
  const auto callback = end_watch();
  SocketStream& stream = *std::exchange(stream_, nullptr);
  lock.unlock();
  if (!is_whole && callback) callback();
  response_stream = nullptr;
  if (!has_whole_body_ && !closes_) closes_ = !stream.skip_body(*framing_.content_length);
  is_readable_ = false;
  return is_whole;
}

}  // namespace fw::http
