// The sink of the default logger: lines are formatted by the caller and written by a thread.
#pragma once

#include <fairway/config.hpp>
#include <fairway/logger.hpp>

#include <memory>
#include <thread>

#include "logging/redaction.hpp"

namespace fw::detail {

/// Never blocks a caller on the output: lines wait in memory. When an output stalls for so long
/// that 64 MiB are waiting, or fails (a full disk), these are dropped and their number is
/// logged with the next line that can be written. The writer gathers lines for some milliseconds,
/// so that it is woken once for many of them; errors are written at once.
class AsyncSink : public LogSink {
 public:
  /// Appends to `config.file`, or writes to standard output. Throws std::system_error when the file
  /// cannot be opened, or there is no thread to be had.
  explicit AsyncSink(const LoggerConfig& config);
  /// Flushes. What the output has not taken then is dropped.
  ~AsyncSink() override;
  AsyncSink(const AsyncSink&) = delete;
  AsyncSink& operator=(const AsyncSink&) = delete;

  void write(const LogRecord& record) override;
  /// Waits at most a quarter of a second for an output that takes nothing, and not at all if it
  /// has taken nothing since the last time. A flush that times out is reported on standard error.
  void flush() override;

 private:
  class Writer;

  const Redaction redaction_;
  /// Shared with the thread, which is detached when it hangs in its output.
  const std::shared_ptr<Writer> writer_;
  std::thread thread_;
};

}  // namespace fw::detail
