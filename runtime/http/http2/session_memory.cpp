#include "http/http2/session_memory.hpp"

#include "http/http2/frame_output.hpp"

namespace fw::http {
namespace {

/// A connection may have heads of so many bytes without a budget, as with HTTP/1.1.
constexpr std::size_t kUncounted = 16 * 1024;

}  // namespace

bool SessionMemory::add_head(std::size_t size) {
  const std::size_t needed = heads_ + size;
  // In steps, so that most requests do not touch what the connections share.
  if (needed > kUncounted && !heads_share_.grow((needed / kUncounted + 1) * kUncounted)) {
    return false;
  }
  heads_ = needed;
  return true;
}

void SessionMemory::remove_head(std::size_t size) {
  heads_ -= size;
  if (heads_ <= kUncounted) heads_share_.release();
}

void SessionMemory::report(const Http2Streams& streams, const FrameOutput& output,
                           std::int64_t now) {
  std::size_t waiting = output.waiting() + heads_share_.size();
  for (const auto& [id, stream] : streams) {
    waiting += stream->output_.waiting() + stream->body_share_.size();
  }
  if (waiting == 0) {
    buffered_since_ = 0;
    transfer_.clear();
    return;
  }
  const std::uint64_t transferred = received_ + output.sent();
  if (buffered_since_ == 0) {
    buffered_since_ = now;
    buffered_from_ = transferred;
  }
  transfer_.note(waiting, buffered_since_, transferred - buffered_from_);
}

std::vector<std::shared_ptr<Http2Stream>> SessionMemory::streams_to_shed(
    const Http2Streams& streams) {
  std::vector<std::shared_ptr<Http2Stream>> large;
  std::vector<std::shared_ptr<Http2Stream>> waiting;
  std::size_t total = 0;
  for (const auto& [id, stream] : streams) {
    const bool is_awaited = stream->phase_ == Http2Stream::Phase::awaiting_body;
    const bool is_arriving = stream->socket_ && stream->socket_->arriving() > 0;
    if (!is_awaited && !is_arriving && stream->output_.content.empty()) continue;
    const auto size = stream->head_memory_ + stream->output_.waiting() +
                      (is_awaited ? stream->body_share_.size() : 0);
    total += size;
    waiting.push_back(stream);
    if (size >= kMinShed) large.push_back(stream);
  }
  return large.empty() && total >= kMinShed ? waiting : large;
}

}  // namespace fw::http
