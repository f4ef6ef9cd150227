#include "testing/stream_reader.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "base/ascii.hpp"
#include "base/wake_up.hpp"

namespace fw::testing {

void EventParser::feed(std::string_view bytes, std::deque<TestEvent>& events) {
  while (!bytes.empty()) {
    // A CR ends a line, even if an LF follows.
    if (std::exchange(has_ended_by_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const auto end = bytes.find_first_of("\r\n");
    rest_ += bytes.substr(0, end);
    if (end == std::string_view::npos) return;
    has_ended_by_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    take_line(std::exchange(rest_, {}), events);
  }
}

void EventParser::take_line(std::string_view line, std::deque<TestEvent>& events) {
  if (are_lines_) {
    if (!line.empty()) events.push_back({.name = "", .data = std::string(line)});
    return;
  }
  if (line.empty()) {
    if (has_data_) {
      events.push_back({.name = name_.empty() ? "message" : name_,
                        .data = std::exchange(data_, {}),
                        .id = id_,
                        .retry = retry_});
    }
    name_.clear();
    has_data_ = false;
    return;
  }
  const auto colon = std::min(line.find(':'), line.size());
  const std::string_view field = line.substr(0, colon);
  std::string_view value = line.substr(std::min(colon + 1, line.size()));
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "event") {
    name_ = value;
  } else if (field == "data") {
    if (std::exchange(has_data_, true)) data_ += '\n';
    data_ += value;
  } else if (field == "id") {
    if (value.find('\0') == std::string_view::npos) id_ = value;
  } else if (field == "retry" && std::ranges::all_of(value, base::is_digit)) {
    std::int64_t time = 0;
    std::from_chars(value.data(), value.data() + value.size(), time);
    retry_ = std::chrono::milliseconds(time);
  }
}

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
    parser_.feed(bytes, events_);
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
