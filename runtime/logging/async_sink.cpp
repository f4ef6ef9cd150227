#include "logging/async_sink.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "logging/line_format.hpp"

namespace fw::detail {
namespace {

constexpr std::size_t kMostWaiting = 64U << 20U;
/// How long the writer gathers lines, unless so many bytes are there before: waking it for each
/// line would cost a request more than the line itself.
constexpr std::chrono::milliseconds kGatherTime{5};
constexpr std::size_t kWorthWriting = 256U << 10U;

int open_log(const std::string& file) {
  if (file.empty()) return STDOUT_FILENO;
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    throw std::system_error(errno, std::generic_category(),
                            "logger.file: cannot open '" + file + "' for appending");
  }
  return descriptor;
}

bool wants_color(PrettyColor setting, int descriptor) {
  if (setting == PrettyColor::always) return true;
  if (setting == PrettyColor::never) return false;
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && isatty(descriptor) == 1;
}

}  // namespace

AsyncSink::AsyncSink(const LoggerConfig& config)
    : redaction_(config),
      pretty_(config.pretty),
      descriptor_(open_log(config.file)),
      owns_descriptor_(!config.file.empty()),
      color_(wants_color(config.pretty_color, descriptor_)),
      thread_([this] { run(); }) {}

AsyncSink::~AsyncSink() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_one();
  urgent_work_.notify_one();
  thread_.join();
  if (owns_descriptor_) ::close(descriptor_);
}

void AsyncSink::format(std::string& line, const LogRecord& record) const {
  if (pretty_) {
    append_pretty_line(line, record, color_);
  } else {
    append_json_line(line, record);
  }
}

void AsyncSink::write(const LogRecord& record) {
  thread_local std::string line;
  line.clear();
  if (redaction_.active()) {
    LogRecord redacted = record;
    redaction_.apply(redacted.bindings);
    redaction_.apply(redacted.fields);
    format(line, redacted);
  } else {
    format(line, record);
  }
  bool wake = false;
  bool hurry = false;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() + line.size() > kMostWaiting) {
      ++dropped_;
      return;
    }
    wake = waiting_.empty();
    waiting_ += line;
    hurry = !is_urgent_ && (record.level >= LogLevel::error || waiting_.size() >= kWorthWriting);
    if (hurry) is_urgent_ = true;
  }
  if (wake) work_.notify_one();
  if (hurry) urgent_work_.notify_one();
}

void AsyncSink::flush() {
  std::unique_lock lock(mutex_);
  is_urgent_ = true;
  urgent_work_.notify_one();
  idle_.wait(lock, [this] { return waiting_.empty() && !writing_; });
}

void AsyncSink::wait_for_lines(std::unique_lock<std::mutex>& lock) {
  work_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
  urgent_work_.wait_for(lock, kGatherTime, [this] { return stopping_ || is_urgent_; });
}

void AsyncSink::run() {
  // Signals belong to the application's threads; a reader that is gone must not end the process.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::string lines;
  std::unique_lock lock(mutex_);
  while (true) {
    wait_for_lines(lock);
    if (waiting_.empty()) return;
    is_urgent_ = false;
    lines.clear();
    std::swap(lines, waiting_);
    const std::uint64_t dropped = std::exchange(dropped_, 0);
    writing_ = true;
    lock.unlock();
    if (dropped > 0) {
      LogRecord record;
      record.level = LogLevel::warn;
      record.time = std::chrono::system_clock::now();
      record.message =
          fmt::format("{} log lines were dropped: the log output is too slow", dropped);
      format(lines, record);
    }
    write_out(lines);
    lock.lock();
    writing_ = false;
    if (waiting_.empty()) idle_.notify_all();
  }
}

void AsyncSink::write_out(const std::string& lines) {
  std::string_view rest = lines;
  while (!rest.empty()) {
    const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
    if (count >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      // Standard output may be a pipe that somebody made non-blocking.
      pollfd ready{descriptor_, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return;  // the reader is gone: there is nowhere left to say so
    }
  }
}

}  // namespace fw::detail
