#include "http/http2/session_ending.hpp"

#include <nghttp2/nghttp2.h>
#include <utility>

namespace fw::http {
namespace {

/// Time for the client to react to the announcement that the server stops.
constexpr std::int64_t kAnnouncedTime = 500;
constexpr std::string_view kStopPing = "fairway!";

}  // namespace

void SessionEnding::note_stop(std::int64_t now) {
  if (stop_noted_at_ != 0) return;
  stop_noted_at_ = now;
  if (!is_far()) return;
  nghttp2_submit_shutdown_notice(library_);
  nghttp2_submit_ping(library_, NGHTTP2_FLAG_NONE,
                      reinterpret_cast<const std::uint8_t*>(kStopPing.data()));
  phase_ = Phase::announced;
  begins_at_ = now + kAnnouncedTime;
}

void SessionEnding::note_ping_ack(std::string_view payload) {
  if (payload == kStopPing) begin();
}

void SessionEnding::begin() {
  if (std::exchange(phase_, Phase::begun) == Phase::begun) return;
  nghttp2_submit_goaway(library_, NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(library_), NGHTTP2_NO_ERROR,
                        nullptr, 0);
}

void SessionEnding::terminate(std::uint32_t error_code) {
  if (std::exchange(is_terminated_, true)) return;
  nghttp2_session_terminate_session(library_, error_code);
}

}  // namespace fw::http
