#include "testing/stream_reader.hpp"

#include <stdexcept>
#include <utility>

#include "base/wake_up.hpp"

namespace fw::testing {

class StreamReader::Waker final : public http::BodyWaker {
 public:
  void wake() noexcept override { wake_up_.wake(); }
  /// Returns false after `until`.
  bool wait_until(std::chrono::steady_clock::time_point until) {
    return wake_up_.wait_until(until);
  }

 private:
  base::WakeUp wake_up_;
};

StreamReader::StreamReader(std::shared_ptr<http::PushedBody> body, bool are_lines)
    : body_(std::move(body)), waker_(std::make_shared<Waker>()), parser_(are_lines) {
  if (!body_) return;
  body_->begin(waker_, nullptr);
  static_cast<void>(body_->may_wait());  // nothing is read before `next`
}

/// What there is at the moment.
std::string_view StreamReader::take() {
  constexpr std::size_t kPartSize = 16 * 1024;
  if (!body_) return {};
  part_.resize(kPartSize);
  const auto part = body_->take(part_);
  if (!part) {
    end(false);
    return {};
  }
  const auto [size, is_last] = *part;
  if (is_last) {
    end(true);
  } else {
    static_cast<void>(body_->may_wait());
  }
  return std::string_view(part_).substr(0, size);
}

void StreamReader::end(bool is_complete) {
  if (const auto body = std::exchange(body_, nullptr)) body->end(is_complete);
}

std::optional<TestEvent> StreamReader::next(std::chrono::milliseconds timeout) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  while (events_.empty()) {
    if (!body_) return std::nullopt;
    const std::string_view bytes = take();
    for (base::ParsedEvent& event : parser_.feed(bytes)) {
      events_.push_back({.name = std::move(event.name),
                         .data = std::move(event.data),
                         .id = std::move(event.id),
                         .retry = event.retry});
    }
    if (bytes.empty() && body_ && !waker_->wait_until(until)) {
      throw std::runtime_error("the stream had no event before the timeout");
    }
  }
  TestEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

std::string StreamReader::take_all() {
  std::string all;
  while (true) {
    const std::string_view bytes = take();
    if (bytes.empty()) break;
    all += bytes;
  }
  disconnect();
  return all;
}

void StreamReader::disconnect() { end(false); }

}  // namespace fw::testing
