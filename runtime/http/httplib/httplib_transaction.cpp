#include "http/httplib/httplib_transaction.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <span>
#include <sys/socket.h>
#include <utility>
#include <vector>

#include "http/response_head.hpp"

namespace fw::http {
namespace {

constexpr std::chrono::milliseconds kMonitorInterval{50};
constexpr std::size_t kPumpedAtOnce = 16 * 1024;

bool has_ended(int fd) {
  char byte = 0;
  const auto size = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return size == 0 || (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

}  // namespace

DisconnectMonitor::DisconnectMonitor() : thread_([this] { run(); }) {}

DisconnectMonitor::~DisconnectMonitor() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void DisconnectMonitor::watch(int fd, std::function<void()> callback) {
  const std::lock_guard lock(mutex_);
  watched_.insert_or_assign(fd, std::move(callback));
  changed_.notify_one();
}

std::function<void()> DisconnectMonitor::forget(int fd) {
  const std::lock_guard lock(mutex_);
  const auto node = watched_.extract(fd);
  return node ? std::move(node.mapped()) : nullptr;
}

void DisconnectMonitor::run() {
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    if (watched_.empty()) {
      changed_.wait(lock);
    } else {
      changed_.wait_for(lock, kMonitorInterval);
    }
    std::vector<std::function<void()>> callbacks;
    for (auto it = watched_.begin(); it != watched_.end();) {
      if (!has_ended(it->first)) {
        ++it;
        continue;
      }
      callbacks.push_back(std::move(it->second));
      it = watched_.erase(it);
    }
    lock.unlock();
    for (const auto& callback : callbacks) callback();
    lock.lock();
  }
}

HttplibTransaction::HttplibTransaction(RequestHead head, const Framing& framing,
                                       SocketStream& stream, DisconnectMonitor& monitor)
    : head_(std::move(head)),
      framing_(framing),
      monitor_(monitor),
      has_whole_body_(!framing.has_body()),
      stream_(&stream) {}

BodyStatus HttplibTransaction::read_body(std::uint64_t limit, std::string& body) {
  body.clear();
  if (has_whole_body_) return BodyStatus::complete;
  const auto* reader = std::exchange(reader_, nullptr);
  if (reader == nullptr || answered()) return BodyStatus::disconnected;
  if (framing_.content_length.value_or(0) > limit) return BodyStatus::too_large;
  bool is_too_large = false;
  stream_->begin_body();
  has_whole_body_ = (*reader)([&](const char* data, std::size_t size) {
    is_too_large = size > limit - body.size();
    if (!is_too_large) body.append(data, size);
    return !is_too_large;
  });
  if (is_too_large) return BodyStatus::too_large;
  if (has_whole_body_) return BodyStatus::complete;
  switch (stream_->failure()) {
    case SocketStream::Failure::closed:
      return BodyStatus::disconnected;
    case SocketStream::Failure::timed_out:
      return BodyStatus::timed_out;
    default:
      return BodyStatus::malformed;
  }
}

void HttplibTransaction::skip_body() {
  const auto* reader = std::exchange(reader_, nullptr);
  if (reader == nullptr || framing_.chunked) return;
  if (framing_.content_length.value_or(0) > stream_->buffered()) return;
  stream_->begin_body();
  has_whole_body_ = (*reader)([](const char*, std::size_t) { return true; });
}

bool HttplibTransaction::respond(ResponseHead head, std::string_view body) {
  check_response_head(head);
  return claim({.head = std::move(head),
                .body = std::string(body),
                .length = {},
                .produce = {},
                .ended = {}});
}

bool HttplibTransaction::respond_stream(ResponseHead head, std::optional<std::uint64_t> length,
                                        BodyProducer produce, StreamEnd ended) {
  check_response_head(head);
  return claim({.head = std::move(head),
                .body = {},
                .length = length,
                .produce = std::move(produce),
                .ended = std::move(ended)});
}

bool HttplibTransaction::claim(Response response) {
  const std::lock_guard lock(mutex_);
  if (response_) return false;
  response_ = std::move(response);
  return true;
}

bool HttplibTransaction::answered() const {
  const std::lock_guard lock(mutex_);
  return response_.has_value();
}

void HttplibTransaction::on_disconnect(std::function<void()> callback) {
  {
    const std::lock_guard lock(mutex_);
    if (stream_ == nullptr) return;
    if (!has_ended(stream_->fd())) return monitor_.watch(stream_->fd(), std::move(callback));
  }
  callback();
}

HttplibTransaction::Response* HttplibTransaction::end_handler() {
  skip_body();
  const std::lock_guard lock(mutex_);
  return response_ ? &*response_ : nullptr;
}

bool HttplibTransaction::pump(httplib::DataSink& sink) {
  std::array<char, kPumpedAtOnce> buffer;
  auto left = response_->length;
  try {
    while (left != 0) {
      const auto room = std::min<std::uint64_t>(buffer.size(), left.value_or(buffer.size()));
      const auto size = response_->produce(std::span(buffer.data(), room));
      if (size == 0) break;
      if (!sink.write(buffer.data(), size)) return false;
      if (left) *left -= size;
    }
  } catch (...) {
    stream_error_ = std::current_exception();
    return false;
  }
  if (left.value_or(0) > 0) return false;
  // A stream of a known length ends by itself.
  if (!left) sink.done();
  return true;
}

void HttplibTransaction::end(bool is_broken) {
  std::function<void()> callback;
  {
    const std::lock_guard lock(mutex_);
    callback = monitor_.forget(stream_->fd());
    stream_ = nullptr;
  }
  if (is_broken && callback) callback();
  if (!response_) return;
  // Both may own what owns this transaction.
  response_->produce = nullptr;
  const auto ended = std::exchange(response_->ended, nullptr);
  if (ended) ended(stream_error_);
}

}  // namespace fw::http
