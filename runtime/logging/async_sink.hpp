// The sink of the default logger: lines are formatted by the caller and written by a thread.
#pragma once

#include <fairway/config.hpp>
#include <fairway/logger.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "logging/redaction.hpp"

namespace fw::detail {

/// Never blocks a caller on the output: lines wait in memory. When an output stalls for so long
/// that 64 MiB are waiting, further lines are dropped and their number is logged. The destructor
/// writes what is left. The writer gathers lines for some milliseconds, so that it is woken
/// once for many of them; errors are written at once.
class AsyncSink : public LogSink {
 public:
  /// Appends to `config.file`, or writes to standard output. Throws std::system_error when the file
  /// cannot be opened.
  explicit AsyncSink(const LoggerConfig& config);
  ~AsyncSink() override;
  AsyncSink(const AsyncSink&) = delete;
  AsyncSink& operator=(const AsyncSink&) = delete;

  void write(const LogRecord& record) override;
  void flush() override;

 private:
  void run();
  void write_out(const std::string& lines);
  void format(std::string& line, const LogRecord& record) const;
  void wait_for_lines(std::unique_lock<std::mutex>& lock);

  Redaction redaction_;
  bool pretty_;
  int descriptor_;
  bool owns_descriptor_;
  bool color_ = false;

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable urgent_work_;
  std::condition_variable idle_;
  std::string waiting_;
  std::uint64_t dropped_ = 0;
  bool writing_ = false;
  bool is_urgent_ = false;  ///< what waits is to be written at once
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fw::detail
