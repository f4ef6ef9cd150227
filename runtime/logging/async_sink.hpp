// The sink of the default logger: the caller formats lines, and a thread writes them.
#pragma once

#include <fairway/config.hpp>
#include <fairway/logger.hpp>

#include <chrono>
#include <memory>
#include <thread>

#include "logging/redaction.hpp"

namespace fw::detail {

/// Never blocks callers: lines wait in memory, in several queues, so that threads rarely wait for
/// each other. They are written in the order of their times, lines of a thread in the order in
/// which it logged them. If the output stalls until 64 MiB are waiting, or fails (a full disk),
/// lines are dropped, and their number is logged before the next line. The writer gathers lines for
/// some milliseconds, so that it is woken once for many of them; errors are written at once. If the
/// file has been renamed or removed, the next lines go to a new one at its path.
class AsyncSink : public LogSink {
 public:
  /// Time in which the writer gathers lines, because waking it for each line would cost more than
  /// the line itself.
  static constexpr std::chrono::milliseconds kGatherTime{5};

  /// Appends to `config.file`, or writes to standard output. Throws std::system_error if the file
  /// cannot be opened or the thread cannot be started.
  explicit AsyncSink(const LoggerConfig& config,
                     std::chrono::milliseconds gather_time = kGatherTime);
  /// Flushes, and drops the remaining lines.
  ~AsyncSink() override;
  AsyncSink(const AsyncSink&) = delete;
  AsyncSink& operator=(const AsyncSink&) = delete;

  void write(const LogRecord& record) override;
  /// Waits at most a quarter of a second if the output stalls, and not at all if it has made no
  /// progress since the last timeout. Reports a timeout on standard error.
  void flush() override;

 private:
  class Writer;

  const Redaction redaction_;
  /// Shared with the thread, which is detached if its output hangs.
  const std::shared_ptr<Writer> writer_;
  std::thread thread_;
};

}  // namespace fw::detail
