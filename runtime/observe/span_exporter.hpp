// Sends spans to a collector, on a thread of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "observe/otlp.hpp"
#include "observe/span_queue.hpp"

namespace fw::detail {

/// What a collector has done with a batch.
struct SpanReply {
  enum class Result : std::uint8_t {
    accepted,
    retry,     ///< it may accept the batch later
    rejected,  ///< it will not
  };
  Result result = Result::retry;
  std::size_t rejected_spans = 0;            ///< of a batch that was accepted
  std::chrono::milliseconds retry_after{0};  ///< when it wants the batch again; 0: not known
  std::string reason = {};                   ///< for the log, unless all spans were accepted
};

class SpanExporter {
 public:
  using Clock = std::chrono::steady_clock;
  /// Sends the body of a batch and waits for the reply, no longer than until the time and, roughly,
  /// until a stop is requested. Must not throw.
  using Send = std::function<SpanReply(const std::shared_ptr<const std::string>& body,
                                       std::chrono::milliseconds most, std::stop_token)>;
  /// Called when batches begin to fail, with the reason, and when one is accepted again, with an
  /// empty one. What it throws is ignored.
  using Report = std::function<void(const std::string& reason)>;

  /// Called when spans of a batch that was accepted were rejected, with what the collector says of
  /// it. What it throws is ignored.
  using ReportRejection =
      std::function<void(std::size_t rejected, std::size_t spans, const std::string& reason)>;

  struct Options {
    std::string service_name;
    /// Writes the body of a batch.
    std::string (*encode)(std::string_view service_name, const SpanBatch& batch) = otlp_json;
    std::chrono::milliseconds interval;      ///< after which waiting spans are sent
    std::chrono::milliseconds pause{1'000};  ///< before the second attempt; doubles with each
    /// Called once in so long a time.
    std::chrono::milliseconds rejection_interval{60'000};
    ReportRejection report_rejection = {};  ///< may be empty
  };

  /// Starts the thread. Throws std::system_error.
  SpanExporter(std::shared_ptr<SpanQueue> queue, Options options, Send send, Report report);
  ~SpanExporter() { stop(std::chrono::milliseconds(0)); }
  SpanExporter(const SpanExporter&) = delete;
  SpanExporter& operator=(const SpanExporter&) = delete;

  /// Sends what waits, and ends the thread after `most` at the latest, except for what an aborted
  /// call takes to return. Later spans are lost.
  void stop(std::chrono::milliseconds most);

 private:
  void run();
  void send_batch(const SpanBatch& batch);
  /// The time that a call may take; nothing is left after the end of a stop.
  std::chrono::milliseconds time_left();
  /// Returns false if it ended because of a stop.
  bool sleep(std::chrono::milliseconds duration);
  void report(const std::string& reason) noexcept;
  void report_rejection(std::size_t rejected, std::size_t spans,
                        const std::string& reason) noexcept;

  const std::shared_ptr<SpanQueue> queue_;
  const Options options_;
  const Send send_;
  const Report report_;
  // Of the thread.
  std::string failure_;                 ///< that was reported
  Clock::time_point next_rejection_{};  ///< that is reported
  std::stop_source stop_source_;

  std::mutex mutex_;  // guards the following members
  std::condition_variable changed_;
  bool is_stopping_ = false;
  bool has_ended_ = false;
  Clock::time_point stop_until_;

  std::thread thread_;  // last, because it uses the other members
};

}  // namespace fw::detail
