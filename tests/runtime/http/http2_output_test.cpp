// Deadlines, turns and priorities of the output of HTTP/2.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nghttp2/nghttp2.h>
#include <span>
#include <string>

#include "http/epoll/sweep_state.hpp"
#include "http/http2/frame_output.hpp"
#include "http/http2/http2_fields.hpp"
#include "http/http2/send_progress.hpp"
#include "http/http2/session_deadlines.hpp"
#include "local_options.hpp"

namespace http2_output_test {

using namespace fw::http;
using namespace std::chrono_literals;

TEST_CASE("http2 check timer: a check is not put off by what happens before it") {
  Deadline deadline;
  CheckTimer timer(deadline, 100);
  timer.set(1'000);
  for (std::int64_t now = 1'001; now < 1'200; ++now) timer.set(now);
  CHECK_FALSE(deadline.detect_expiry(1'099));
  CHECK(deadline.detect_expiry(1'100));
  timer.note_check();
  timer.set(1'105);
  CHECK_FALSE(deadline.detect_expiry(1'204));
  CHECK(deadline.detect_expiry(1'205));
}

TEST_CASE("http2 check timer: an idle connection is checked at the end of its idle time") {
  Deadline deadline;
  CheckTimer timer(deadline, 100);
  timer.set(1'000);
  timer.set_idle(9'000);
  CHECK_FALSE(deadline.detect_expiry(8'999));
  timer.set(5'000);  // a request
  CHECK(deadline.detect_expiry(5'100));
}

namespace {

AdapterOptions slow_options() {
  AdapterOptions options = test::local_options();
  options.send_timeout = 100ms;
  options.min_data_rate = {.bytes_per_second = 1'000, .grace = 1s};
  return options;
}

/// A response of which 500 bytes were written at the time 1,000, in the output up to byte 700.
SendProgress begun_response() {
  SendProgress progress;
  progress.begin(1'000);
  progress.note_frame(500, 700, 1'000);
  return progress;
}

}  // namespace

TEST_CASE("http2 send progress: a response is late after the send timeout without progress") {
  const auto options = slow_options();
  auto progress = begun_response();
  const SendProgress::OfConnection nothing{.sent = 700, .progress_at = 1'000};
  CHECK_FALSE(progress.is_late(nothing, 1'099, options));
  CHECK(progress.is_late(nothing, 1'100, options));
  progress.note_frame(500, 1'200, 1'090);
  CHECK_FALSE(progress.is_late(nothing, 1'189, options));
  CHECK(progress.is_late(nothing, 1'190, options));
}

TEST_CASE("http2 send progress: frames in the socket are received before their response is late") {
  const auto options = slow_options();
  // The client has received 600 bytes of the output, and continues.
  auto behind = begun_response();
  CHECK_FALSE(behind.is_late({.sent = 600, .progress_at = 1'090}, 1'150, options));
  CHECK(behind.is_late({.sent = 650, .progress_at = 1'090}, 1'190, options));
  // The last frame has been sent; what others receive is no progress of this one.
  auto sent = begun_response();
  CHECK(sent.is_late({.sent = 700, .progress_at = 1'090}, 1'150, options));
}

TEST_CASE("http2 send progress: a response that waits for others of its connection is not late") {
  const auto options = slow_options();
  auto progress = begun_response();
  // Others are sent for a minute; each check finds progress.
  for (std::int64_t now = 1'050; now < 61'000; now += 50) {
    const SendProgress::OfConnection others{.sent = 700, .progress_at = now, .sends_another = true};
    CHECK_FALSE(progress.is_late(others, now + 40, options));
  }
  // This time does not count for the data rate either: 500 bytes may take 1.5 s.
  progress.note_frame(1, 100'000, 61'000);
  progress.note_frame(0, 100'000, 61'900);
  CHECK_FALSE(progress.is_late({.sent = 100'000, .progress_at = 61'000}, 61'950, options));
  // If the connection makes no progress, it is late like them.
  CHECK(progress.is_late({.sent = 100'000, .progress_at = 61'000, .sends_another = true}, 62'000,
                         options));
}

TEST_CASE("http2 send progress: a response below the minimum data rate is late") {
  const auto options = slow_options();
  auto progress = begun_response();
  for (std::int64_t now = 1'050; now < 2'500; now += 50) {
    progress.note_frame(1, 0, now);
    CHECK_FALSE(progress.is_late({}, now, options));
  }
  progress.note_frame(1, 0, 2'550);
  CHECK(progress.is_late({}, 2'550, options));
}

TEST_CASE("http2 send progress: the time of the source does not count") {
  const auto options = slow_options();
  auto progress = begun_response();
  progress.note_produced(1'010, 9'000);
  CHECK_FALSE(progress.is_late({}, 9'099, options));
  CHECK(progress.is_late({}, 9'100, options));
  auto pushed = begun_response();
  pushed.note_waited(true, 60'000);
  pushed.note_frame(100, 0, 60'050);
  CHECK_FALSE(pushed.is_late({}, 60'149, options));
  CHECK(pushed.progress_at() == 60'050);
  pushed.note_waited(false, 60'100);
  CHECK(pushed.progress_at() == 60'050);
}

TEST_CASE("http2 priority: the urgency of a Priority field") {
  CHECK(urgency_of("") == 3);
  CHECK(urgency_of("i") == 3);
  CHECK(urgency_of("u=0") == 0);
  CHECK(urgency_of("u=7, i") == 7);
  CHECK(urgency_of("i=?0 ,\tu=1;x=2") == 1);
  CHECK(urgency_of("u=1, u=2") == 2);
  for (const char* invalid : {"u=8", "u=-1", "u=1.0", "u", "U=1", "u=12", "xu=1", "u= 1"}) {
    CAPTURE(invalid);
    CHECK(urgency_of(invalid) == 3);
  }
}

namespace {

/// Accepts a number of bytes.
class LimitedChannel final : public SecureChannel {
 public:
  explicit LimitedChannel(std::size_t& room) : room_(room) {}

  Received receive(std::span<char>) override { return {}; }
  bool is_established() const override { return true; }
  bool has_more_input() const override { return false; }
  bool waits_for_output() const override { return false; }
  bool is_cleartext() const override { return false; }
  IoStatus send_some(std::span<const iovec> parts, std::size_t& sent) override {
    for (const iovec& part : parts) {
      const std::size_t size = std::min(part.iov_len, room_);
      room_ -= size;
      sent += size;
      if (size < part.iov_len) return IoStatus::would_block;
    }
    return IoStatus::done;
  }
  bool has_begun_to_send() const override { return false; }
  void close_output() noexcept override {}
  std::shared_ptr<const fw::ClientCertificate> client_certificate() const override {
    return nullptr;
  }
  bool has_agreed_on_http2() const override { return true; }

 private:
  std::size_t& room_;
};

using Library = std::unique_ptr<nghttp2_session, decltype(&nghttp2_session_del)>;

void pass(nghttp2_session* from, nghttp2_session* to) {
  const std::uint8_t* bytes = nullptr;
  while (true) {
    const auto size = nghttp2_session_mem_send(from, &bytes);
    if (size <= 0) return;
    nghttp2_session_mem_recv(to, bytes, static_cast<std::size_t>(size));
  }
}

/// A session of a server with a response that has no end, and whose client has no limit.
Library endless_response() {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session* made = nullptr;
  nghttp2_session_server_new(&made, callbacks, nullptr);
  Library server(made, &nghttp2_session_del);
  nghttp2_session_client_new(&made, callbacks, nullptr);
  const Library client(made, &nghttp2_session_del);
  nghttp2_session_callbacks_del(callbacks);
  constexpr std::int32_t kMaxWindow = 0x7FFF'FFFF;
  const nghttp2_settings_entry window{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kMaxWindow};
  nghttp2_submit_settings(client.get(), NGHTTP2_FLAG_NONE, &window, 1);
  nghttp2_session_set_local_window_size(client.get(), NGHTTP2_FLAG_NONE, 0, kMaxWindow);
  const auto field = [](std::string_view name, std::string_view value) {
    const auto bytes = [](std::string_view text) {
      return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
    };
    return nghttp2_nv{bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
  };
  const std::array<nghttp2_nv, 4> request = {field(":method", "GET"), field(":scheme", "http"),
                                             field(":authority", "a"), field(":path", "/")};
  const auto stream = nghttp2_submit_request(client.get(), nullptr, request.data(), request.size(),
                                             nullptr, nullptr);
  pass(client.get(), server.get());
  const nghttp2_nv status = field(":status", "200");
  const nghttp2_data_provider body{
      {},
      [](nghttp2_session*, std::int32_t, std::uint8_t* buffer, std::size_t size, std::uint32_t*,
         nghttp2_data_source*, void*) {
        std::fill_n(buffer, size, std::uint8_t{'x'});
        return static_cast<ssize_t>(size);
      }};
  nghttp2_submit_response(server.get(), stream, &status, 1, &body);
  return server;
}

}  // namespace

TEST_CASE("http2 frame output: a client that receives everything gets a bounded turn") {
  const Library server = endless_response();
  std::size_t room = 100'000'000;
  Transport transport({}, std::make_unique<LimitedChannel>(room));
  BufferBudget budget(1'000'000);
  const AdapterOptions options = test::local_options();
  FrameOutput output(transport, budget, options);
  for (std::uint64_t turn = 1; turn <= 3; ++turn) {
    CHECK(output.flush(server.get()) == FrameOutput::Progress::turn_over);
    CHECK(output.sent() >= turn * FrameOutput::kMaxTurn);
    CHECK(output.sent() <= turn * (FrameOutput::kMaxTurn + 2 * FrameOutput::kBatchSize));
  }
  room = 1'000;
  CHECK(output.flush(server.get()) == FrameOutput::Progress::blocked);
  CHECK(room == 0);
  CHECK_FALSE(output.is_empty());
}

}  // namespace http2_output_test
