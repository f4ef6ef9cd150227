#include "observe/span_exporter.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/signals.hpp"

namespace fw::detail {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kBatch = 512;
constexpr milliseconds kMaxCall{10'000};
constexpr int kMaxAttempts = 5;
constexpr milliseconds kMaxPause{30'000};

}  // namespace

SpanExporter::SpanExporter(std::shared_ptr<SpanQueue> queue, Options options, Send send,
                           Report report)
    : queue_(std::move(queue)),
      options_(std::move(options)),
      send_(std::move(send)),
      report_(std::move(report)),
      thread_([this] { run(); }) {}

void SpanExporter::stop(milliseconds most) {
  if (!thread_.joinable()) return;
  {
    std::unique_lock lock(mutex_);
    is_stopping_ = true;
    stop_until_ = Clock::now() + most;
    changed_.notify_all();
    queue_->close();
    changed_.wait_until(lock, stop_until_, [this] { return has_ended_; });
  }
  stop_source_.request_stop();
  thread_.join();
}

void SpanExporter::run() {
  base::block_signals();
  while (true) {
    SpanBatch batch;
    try {
      batch = queue_->take(kBatch, options_.interval);
      if (batch.empty()) break;
      send_batch(batch);
    } catch (const std::exception& error) {
      queue_->count_lost(SpanLoss::collector, batch.size());
      report(error.what());
      // Without memory, nothing was taken, and another attempt would fail at once.
      if (batch.empty() && !sleep(options_.pause)) break;
    }
  }
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  changed_.notify_all();
}

void SpanExporter::send_batch(const SpanBatch& batch) {
  const std::size_t count = batch.size();
  const auto body =
      std::make_shared<const std::string>(options_.encode(options_.service_name, batch));
  milliseconds pause = options_.pause;
  std::string reason;
  for (int attempt = 1;; ++attempt) {
    const milliseconds left = time_left();
    if (left.count() <= 0) break;
    const SpanReply reply = send_(body, left, stop_source_.get_token());
    if (reply.result == SpanReply::Result::accepted) {
      const std::size_t rejected = std::min(reply.rejected_spans, count);
      queue_->count_sent(count - rejected);
      queue_->count_lost(SpanLoss::rejected, rejected);
      if (rejected > 0) report_rejection(rejected, count, reply.reason);
      return report({});
    }
    reason = reply.reason;
    if (reply.result == SpanReply::Result::rejected) {
      report(reason);
      return queue_->count_lost(SpanLoss::rejected, count);
    }
    // A single failure is usual: the collector closes idle connections.
    if (attempt > 1) report(reason);
    const milliseconds wanted = std::clamp(reply.retry_after, pause, kMaxPause);
    if (attempt == kMaxAttempts) break;
    // A stop lets the batch have one more attempt at once: the server may have closed the
    // connection.
    if (!sleep(wanted) && attempt > 1) break;
    pause = std::min(2 * pause, kMaxPause);
  }
  if (!reason.empty()) report(reason);
  queue_->count_lost(SpanLoss::collector, count);
}

milliseconds SpanExporter::time_left() {
  const std::lock_guard lock(mutex_);
  if (!is_stopping_) return kMaxCall;
  const auto left = std::chrono::ceil<milliseconds>(stop_until_ - Clock::now());
  return std::min(left, kMaxCall);
}

bool SpanExporter::sleep(milliseconds duration) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, duration, [this] { return is_stopping_; });
}

void SpanExporter::report_rejection(std::size_t rejected, std::size_t spans,
                                    const std::string& reason) noexcept {
  const auto now = Clock::now();
  if (!options_.report_rejection || now < next_rejection_) return;
  next_rejection_ = now + options_.rejection_interval;
  try {
    options_.report_rejection(rejected, spans, reason);
  } catch (...) {
    // The log of the application has failed, but the spans are counted.
  }
}

void SpanExporter::report(const std::string& reason) noexcept {
  if (reason.empty() == failure_.empty()) return;
  try {
    failure_ = reason;
    report_(reason);
  } catch (...) {
    // As above, or there is no memory for the reason.
  }
}

}  // namespace fw::detail
