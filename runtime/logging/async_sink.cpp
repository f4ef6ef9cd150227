#include "logging/async_sink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <optional>
#include <poll.h>
#include <signal.h>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "logging/line_format.hpp"

namespace fw::detail {
namespace {

constexpr std::size_t kMostWaiting = 64U << 20U;
/// Larger buffers are freed after a burst.
constexpr std::size_t kKeptCapacity = 1U << 20U;
/// Time in which the writer gathers lines, because waking it for each line would cost more than the
/// line itself. It is woken earlier if many bytes are waiting.
constexpr std::chrono::milliseconds kGatherTime{5};
constexpr std::size_t kWorthWriting = 256U << 10U;
/// Time limit of a flush, so that a stop does not depend on the reader of the log.
constexpr std::chrono::milliseconds kFlushTime{250};

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

std::uint64_t count_lines(std::string_view lines) {
  return static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), '\n'));
}

/// Does not block, because standard error may have the same reader.
void report_stall(std::uint64_t lines) {
  pollfd ready{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&ready, 1, 0) <= 0 || (ready.revents & POLLOUT) == 0) return;
  const std::string message = fmt::format(
      "the log output takes no lines: {} are waiting, and are dropped if the process ends now\n",
      lines);
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
}

}  // namespace

/// The queue of lines, and the thread that writes them.
class AsyncSink::Writer {
 public:
  explicit Writer(const LoggerConfig& config)
      : descriptor_(open_log(config.file)),
        owns_descriptor_(!config.file.empty()),
        pretty_(config.pretty),
        color_(wants_color(config.pretty_color, descriptor_)) {}
  ~Writer() {
    if (owns_descriptor_) ::close(descriptor_);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void format(std::string& line, const LogRecord& record) const {
    if (pretty_) {
      append_pretty_line(line, record, color_);
    } else {
      append_json_line(line, record);
    }
  }

  void add(std::string_view line, bool is_urgent);
  /// Returns false if lines are still waiting after `kFlushTime`.
  bool flush();
  /// Ends the thread after all lines are written.
  void request_stop();
  void run();

 private:
  void wait_for_lines(std::unique_lock<std::mutex>& lock);
  std::uint64_t write_out(std::string_view lines);

  const int descriptor_;
  const bool owns_descriptor_;
  const bool pretty_;
  const bool color_;
  bool cut_a_line_ = false;  ///< used by the thread only: whether an error cut off the last line

  std::mutex mutex_;  ///< guards the following members
  std::condition_variable work_;
  std::condition_variable urgent_work_;
  std::condition_variable progress_;
  std::string waiting_;
  std::uint64_t lines_waiting_ = 0;
  std::uint64_t lines_being_written_ = 0;
  std::uint64_t added_ = 0;    ///< bytes so far
  std::uint64_t handled_ = 0;  ///< bytes of these that were written or dropped
  std::uint64_t dropped_ = 0;  ///< dropped lines that were not reported yet
  bool is_urgent_ = false;     ///< waiting lines must be written at once
  bool stopping_ = false;
  std::optional<std::uint64_t> stalled_at_;  ///< `handled_` when a flush timed out
};

void AsyncSink::Writer::add(std::string_view line, bool is_urgent) {
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
    ++lines_waiting_;
    added_ += line.size();
    hurry = !is_urgent_ && (is_urgent || waiting_.size() >= kWorthWriting);
    if (hurry) is_urgent_ = true;
  }
  if (wake) work_.notify_one();
  if (hurry) urgent_work_.notify_one();
}

bool AsyncSink::Writer::flush() {
  std::unique_lock lock(mutex_);
  const std::uint64_t end = added_;
  const auto is_done = [this, end] { return handled_ >= end; };
  if (is_done()) return true;
  if (stalled_at_ == handled_) return false;
  is_urgent_ = true;
  urgent_work_.notify_one();
  if (progress_.wait_for(lock, kFlushTime, is_done)) return true;
  stalled_at_ = handled_;
  report_stall(lines_waiting_ + lines_being_written_);
  return false;
}

void AsyncSink::Writer::request_stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  work_.notify_one();
  urgent_work_.notify_one();
}

void AsyncSink::Writer::wait_for_lines(std::unique_lock<std::mutex>& lock) {
  work_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
  urgent_work_.wait_for(lock, kGatherTime, [this] { return stopping_ || is_urgent_; });
}

void AsyncSink::Writer::run() {
  // Signals must be handled by the threads of the application, and SIGPIPE must not end the
  // process.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::string lines;
  std::unique_lock lock(mutex_);
  while (true) {
    wait_for_lines(lock);
    if (waiting_.empty()) return;
    is_urgent_ = false;
    std::swap(lines, waiting_);
    const std::uint64_t size = lines.size();
    const std::uint64_t dropped = std::exchange(dropped_, 0);
    lines_being_written_ = std::exchange(lines_waiting_, 0);
    lock.unlock();
    if (dropped > 0) {
      format(lines, {.level = LogLevel::warn,
                     .time = std::chrono::system_clock::now(),
                     .request_id = {},
                     .bindings = nullptr,
                     .fields = nullptr,
                     .message = fmt::format(
                         "{} log lines were dropped: the log output did not take them", dropped)});
    }
    const std::uint64_t lost = write_out(lines);
    lines.clear();
    if (lines.capacity() > kKeptCapacity) lines.shrink_to_fit();
    lock.lock();
    // If the line that reports dropped lines is lost, they count again.
    if (lost > 0) dropped_ += lost + dropped - (dropped > 0 ? 1 : 0);
    handled_ += size;
    lines_being_written_ = 0;
    progress_.notify_all();
  }
}

/// Returns the number of lines that could not be written.
std::uint64_t AsyncSink::Writer::write_out(std::string_view lines) {
  std::string_view rest = lines;
  if (cut_a_line_ && ::write(descriptor_, "\n", 1) == 1) cut_a_line_ = false;
  while (!rest.empty()) {
    const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
    if (count >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      // Standard output may be a non-blocking pipe.
      pollfd ready{descriptor_, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      // A full disk may have room for the next lines.
      if (rest.size() < lines.size()) cut_a_line_ = *(rest.data() - 1) != '\n';
      return count_lines(rest);
    }
  }
  return 0;
}

AsyncSink::AsyncSink(const LoggerConfig& config)
    : redaction_(config),
      writer_(std::make_shared<Writer>(config)),
      thread_([writer = writer_] { writer->run(); }) {}

AsyncSink::~AsyncSink() {
  writer_->request_stop();
  if (writer_->flush()) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

void AsyncSink::write(const LogRecord& record) {
  thread_local std::string line;
  line.clear();
  if (line.capacity() > kKeptCapacity) line.shrink_to_fit();
  if (redaction_.active()) {
    Json bindings = record.bindings;
    Json fields = record.fields;
    redaction_.apply(bindings);
    redaction_.apply(fields);
    writer_->format(
        line, {record.level, record.time, record.request_id, bindings, fields, record.message});
  } else {
    writer_->format(line, record);
  }
  writer_->add(line, record.level >= LogLevel::error);
}

void AsyncSink::flush() { writer_->flush(); }

}  // namespace fw::detail
