#include "http/http1/output_queue.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/sendfile.h>

namespace fw::http {
namespace {

/// Bytes of a file after which the worker turns to other connections.
constexpr std::uint64_t kFileTurn = 1024 * 1024;

}  // namespace

OutputQueue::SendStatus OutputQueue::send(Transport& transport, std::string_view first,
                                          std::string_view second) {
  const std::array<iovec, 2> parts = {iovec{const_cast<char*>(first.data()), first.size()},
                                      iovec{const_cast<char*>(second.data()), second.size()}};
  std::size_t sent = 0;
  const auto status =
      transport.send_some({parts.data(), second.empty() ? 1U : 2U}, sent, sends_file());
  if (status == IoStatus::closed) return SendStatus::closed;
  sent_ += sent;
  const auto rest = bytes_.size() + first.size() + second.size() - sent;
  if (rest == 0) return SendStatus::done;
  if (!share_.grow(rest)) return SendStatus::no_memory;
  bytes_.reserve(rest);
  const auto sent_of_first = std::min(sent, first.size());
  bytes_.append(first.substr(sent_of_first)).append(second.substr(sent - sent_of_first));
  return SendStatus::done;
}

void OutputQueue::set_stream(std::unique_ptr<ResponseStream> stream) {
  ends_with_connection_.store(stream->ends_with_connection());
  stream_ = std::move(stream);
}

bool OutputQueue::has_more() const {
  return stream_ && stream_->state() != ResponseStream::State::complete;
}

IoStatus OutputQueue::flush(Transport& transport, bool& has_sent) {
  has_sent = false;
  while (begin_ < bytes_.size()) {
    const iovec part{bytes_.data() + begin_, bytes_.size() - begin_};
    std::size_t sent = 0;
    const auto status = transport.send_some({&part, 1}, sent, sends_file());
    if (status != IoStatus::done) return status;
    begin_ += sent;
    sent_ += sent;
    has_sent = true;
  }
  drop_bytes();
  return sends_file() ? send_file(transport, has_sent) : IoStatus::done;
}

IoStatus OutputQueue::send_file(const Transport& transport, bool& has_sent) {
  if (!transport.sends_files()) {
    stream_->read_file();
    return IoStatus::done;
  }
  const auto sent_before = sent_;
  while (stream_->state() == ResponseStream::State::more && sent_ - sent_before <= kFileTurn) {
    const FilePart& part = *stream_->file();
    const auto size = std::min<std::uint64_t>(part.size, kFileTurn);
    stream_->before_file_bytes(size);
    auto offset = static_cast<off_t>(part.begin);
    const auto sent =
        ::sendfile(transport.fd(), part.descriptor, &offset, static_cast<std::size_t>(size));
    if (sent > 0) {
      stream_->count_file_bytes(static_cast<std::uint64_t>(sent));
      sent_ += static_cast<std::uint64_t>(sent);
      has_sent = true;
    } else if (sent == 0) {
      stream_->break_off();
      return IoStatus::closed;
    } else if (errno == EAGAIN) {
      return IoStatus::would_block;
    } else if (errno == EINVAL || errno == ENOSYS) {
      stream_->read_file();  // a file system that cannot do this
      break;
    } else if (errno != EINTR) {
      return IoStatus::closed;
    }
  }
  return IoStatus::done;
}

std::optional<std::string_view> OutputQueue::produce_next() {
  const auto begin = coarse_now();
  const auto bytes = stream_->next();
  since_ += coarse_now() - begin;  // this time was not caused by the client
  if (stream_->state() == ResponseStream::State::broken) return std::nullopt;
  return bytes;
}

std::int64_t OutputQueue::deadline(const AdapterOptions& options) const {
  const auto next_progress = coarse_now() + options.send_timeout.count();
  const auto rate_deadline = since_ + options.min_data_rate.max_duration(sent_on_clock());
  return std::min(next_progress, rate_deadline);
}

void OutputQueue::drop_bytes() {
  free_memory(bytes_);
  begin_ = 0;
  share_.release();
}

std::unique_ptr<ResponseStream> OutputQueue::take_stream() {
  ends_with_connection_.store(false);
  return std::move(stream_);
}

}  // namespace fw::http
