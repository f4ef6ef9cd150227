#include "logging/async_sink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <optional>
#include <poll.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/short_mutex.hpp"
#include "base/signals.hpp"
#include "base/tree_guard.hpp"
#include "logging/line_format.hpp"
#include "logging/log_file.hpp"

namespace fw::detail {
namespace {

using Clock = std::chrono::system_clock;

constexpr std::size_t kMaxWaiting = 64U << 20U;
/// Number of queues. Threads with different ones do not wait for each other.
constexpr std::size_t kQueues = 8;
/// Larger buffers are freed after a burst.
constexpr std::size_t kKeptCapacity = 256U << 10U;
/// Bytes of a queue that the writer does not leave waiting.
constexpr std::size_t kWorthWriting = 128U << 10U;
/// Time limit of a flush, so that a stop does not depend on the reader of the log.
constexpr std::chrono::milliseconds kFlushTime{250};

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

/// Threads that have logged.
std::atomic<std::size_t> g_logging_threads = 0;

/// The queue of the calling thread, always the same one, so that its lines stay in order.
std::size_t queue_index() {
  thread_local const std::size_t index = g_logging_threads.fetch_add(1) % kQueues;
  return index;
}

/// The number of queues that have ever been used: the first ones.
std::size_t used_queues() { return std::min(g_logging_threads.load(), kQueues); }

}  // namespace

/// The queues of lines, and the thread that writes them.
class AsyncSink::Writer {
 public:
  Writer(const LoggerConfig& config, std::chrono::milliseconds gather_time)
      : gather_time_(gather_time),
        file_(config.file),
        pretty_(config.pretty),
        color_(wants_color(config.pretty_color, file_.descriptor())) {
    ordered_.reserve(kWorthWriting);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void add(const LogRecord& record);
  /// Returns false if lines are still waiting after `kFlushTime`.
  bool flush();
  /// Ends the thread after all lines are written.
  void request_stop();
  void run();

 private:
  struct Line {
    Clock::time_point time;
    std::size_t size;
  };

  /// Lines in the order in which they were added.
  struct Lines {
    std::string text;
    std::vector<Line> index;

    bool empty() const { return index.empty(); }
    void clear() {
      text.clear();
      index.clear();
      if (text.capacity() > kKeptCapacity) text.shrink_to_fit();
      if (index.capacity() * sizeof(Line) > kKeptCapacity) index.shrink_to_fit();
    }
  };

  /// The lines of some threads that the writer has not taken yet.
  struct alignas(64) Queue {
    base::ShortMutex mutex;  ///< guards the following members
    Lines waiting;
    std::uint64_t dropped = 0;  ///< lines
    /// The size of `waiting.text`; other threads read it.
    std::atomic<std::size_t> size = 0;
  };

  void format(JsonWriter& line, const LogRecord& record) const {
    if (pretty_) {
      write_pretty_line(line, record, color_);
    } else {
      write_json_line(line, record);
    }
  }
  void wake();
  void hurry();
  std::uint64_t count_waiting();
  void wait_for_lines(std::unique_lock<std::mutex>& lock);
  std::uint64_t take_lines();
  void write_in_order();
  void write_taken();
  void report_dropped(std::uint64_t lines);
  std::uint64_t write_out(std::string_view lines);

  const std::chrono::milliseconds gather_time_;
  LogFile file_;  ///< used by the writer's thread only
  const bool pretty_;
  const bool color_;

  std::array<Queue, kQueues> queues_;
  /// The writer waits for a line; whoever adds one wakes it. Set under `mutex_`.
  std::atomic<bool> is_asleep_ = false;
  /// Waiting lines must be written at once. Set under `mutex_`.
  std::atomic<bool> is_urgent_ = false;

  // Used by the writer's thread only.
  std::array<Lines, kQueues> taken_;
  std::string ordered_;      ///< taken lines; keeps its capacity
  bool cut_a_line_ = false;  ///< whether an error cut off the last line
  std::uint64_t lost_ = 0;   ///< lines that could not be written and were not reported yet

  std::mutex mutex_;  ///< guards the following members; locked before the mutexes of queues
  std::condition_variable work_;
  std::condition_variable urgent_work_;
  std::condition_variable progress_;
  std::uint64_t begun_ = 0;    ///< how often lines were taken
  std::uint64_t written_ = 0;  ///< how often they were then written, or dropped
  std::uint64_t lines_being_written_ = 0;
  bool stopping_ = false;
  std::optional<std::uint64_t> stalled_at_;  ///< `written_` when a flush timed out
};

void AsyncSink::Writer::add(const LogRecord& record) {
  JsonWriter line;
  format(line, record);
  const std::size_t size = line.content().size();
  bool is_urgent = record.level >= LogLevel::error;
  Queue& queue = queues_[queue_index()];
  {
    const std::lock_guard lock(queue.mutex);
    std::string& text = queue.waiting.text;
    const auto is_full = [&] {
      std::size_t sum = size;
      for (const Queue& each : queues_) sum += each.size.load(std::memory_order_relaxed);
      return sum > kMaxWaiting;
    };
    // Small queues are not worth a look at the queues of other threads.
    if (text.size() + size > kWorthWriting && is_full()) {
      ++queue.dropped;
      return;
    }
    queue.waiting.index.push_back({record.time, size});
    try {
      text += line.content();
    } catch (...) {
      queue.waiting.index.pop_back();
      throw;
    }
    queue.size.store(text.size(), std::memory_order_relaxed);
    is_urgent = is_urgent || text.size() >= kWorthWriting;
  }
  // The writer looks at the queue, or whether it is used, after it has set these, so it finds the
  // line, or this thread finds them set.
  if (is_asleep_.load()) wake();
  if (is_urgent && !is_urgent_.load()) hurry();
}

void AsyncSink::Writer::wake() {
  const std::lock_guard lock(mutex_);
  is_asleep_ = false;
  work_.notify_one();
}

void AsyncSink::Writer::hurry() {
  const std::lock_guard lock(mutex_);
  is_urgent_ = true;
  urgent_work_.notify_one();
}

/// Returns the number of lines in the queues.
std::uint64_t AsyncSink::Writer::count_waiting() {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < used_queues(); ++i) {
    const std::lock_guard lock(queues_[i].mutex);
    count += queues_[i].waiting.index.size();
  }
  return count;
}

bool AsyncSink::Writer::flush() {
  std::unique_lock lock(mutex_);
  const std::uint64_t end = begun_ + (count_waiting() > 0 ? 1 : 0);
  const auto is_done = [this, end] { return written_ >= end; };
  if (is_done()) return true;
  if (stalled_at_ == written_) return false;
  is_urgent_ = true;
  urgent_work_.notify_one();
  if (progress_.wait_for(lock, kFlushTime, is_done)) return true;
  stalled_at_ = written_;
  report_stall(count_waiting() + lines_being_written_);
  return false;
}

void AsyncSink::Writer::request_stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  work_.notify_one();
  urgent_work_.notify_one();
}

void AsyncSink::Writer::wait_for_lines(std::unique_lock<std::mutex>& lock) {
  is_asleep_ = true;
  if (count_waiting() == 0) work_.wait(lock, [this] { return stopping_ || !is_asleep_; });
  is_asleep_ = false;
  urgent_work_.wait_for(lock, gather_time_, [this] { return stopping_ || is_urgent_; });
}

/// Takes the lines of all queues at one moment, so that no line is written before one that another
/// thread had logged earlier. Returns the number of dropped lines.
std::uint64_t AsyncSink::Writer::take_lines() {
  is_urgent_ = false;  // before, see `add`
  std::array<std::unique_lock<base::ShortMutex>, kQueues> locks;
  std::size_t locked = 0;
  // The number is read again for each lock: a thread that is not counted yet logs later.
  for (; locked < used_queues(); ++locked) {
    locks[locked] = std::unique_lock(queues_[locked].mutex);
  }
  std::uint64_t dropped = 0;
  for (std::size_t i = 0; i < locked; ++i) {
    std::swap(queues_[i].waiting, taken_[i]);
    queues_[i].size.store(0, std::memory_order_relaxed);
    dropped += std::exchange(queues_[i].dropped, 0);
  }
  return dropped;
}

void AsyncSink::Writer::run() {
  base::block_signals();  // SIGPIPE, too, which would end the process
  std::unique_lock lock(mutex_);
  while (true) {
    wait_for_lines(lock);
    lost_ += take_lines();
    lines_being_written_ = std::accumulate(
        taken_.begin(), taken_.end(), std::uint64_t{0},
        [](std::uint64_t sum, const Lines& each) { return sum + each.index.size(); });
    if (lines_being_written_ == 0) {
      if (stopping_) return;
      continue;
    }
    ++begun_;
    lock.unlock();
    write_taken();
    lock.lock();
    written_ = begun_;
    lines_being_written_ = 0;
    progress_.notify_all();
  }
}

/// Writes the lines of several queues in the order of their times. Needs no memory, because the
/// thread could not report its lack.
void AsyncSink::Writer::write_in_order() {
  struct Rest {
    const char* text;
    const Line* next;
    const Line* end;
  };
  std::array<Rest, kQueues> rests{};
  auto end = rests.begin();
  for (const Lines& each : taken_) {
    if (each.empty()) continue;
    *end++ = {each.text.data(), each.index.data(), each.index.data() + each.index.size()};
  }
  const auto write_ordered = [this] {
    lost_ += write_out(ordered_);
    ordered_.clear();
  };
  while (end != rests.begin()) {
    const auto first = std::min_element(rests.begin(), end, [](const Rest& a, const Rest& b) {
      return a.next->time < b.next->time;
    });
    const std::string_view line(first->text, first->next->size);
    if (ordered_.size() + line.size() > kWorthWriting) write_ordered();
    if (line.size() <= kWorthWriting) {
      ordered_ += line;
    } else {
      lost_ += write_out(line);
    }
    first->text += line.size();
    if (++first->next == first->end) end = std::copy(first + 1, end, first);
  }
  write_ordered();
}

/// Writes the lines that were taken, and then the number of those that were lost before.
void AsyncSink::Writer::write_taken() {
  if (file_.follow_rotation()) cut_a_line_ = false;
  const std::uint64_t dropped = std::exchange(lost_, 0);
  const auto has_lines = [](const Lines& each) { return !each.empty(); };
  const auto first = std::find_if(taken_.begin(), taken_.end(), has_lines);
  if (std::none_of(first + 1, taken_.end(), has_lines)) {
    lost_ += write_out(first->text);
  } else {
    write_in_order();
  }
  for (Lines& each : taken_) each.clear();
  if (dropped > 0) report_dropped(dropped);
}

void AsyncSink::Writer::report_dropped(std::uint64_t lines) {
  std::uint64_t lost = 1;
  try {
    JsonWriter report;
    format(report, {.level = LogLevel::warn,
                    .time = Clock::now(),
                    .request_id = {},
                    .user = {},
                    .bindings = nullptr,
                    .fields = nullptr,
                    .message = fmt::format(
                        "{} log lines were dropped: the log output did not take them", lines)});
    lost = write_out(report.content());
  } catch (const std::exception&) {
    // There is no memory for the report; the next one includes these lines.
  }
  if (lost > 0) lost_ += lines;
}

/// Returns the number of lines that could not be written.
std::uint64_t AsyncSink::Writer::write_out(std::string_view lines) {
  const int descriptor = file_.descriptor();
  std::string_view rest = lines;
  if (!rest.empty() && cut_a_line_ && ::write(descriptor, "\n", 1) == 1) cut_a_line_ = false;
  while (!rest.empty()) {
    const ssize_t count = ::write(descriptor, rest.data(), rest.size());
    if (count >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      // Standard output may be a non-blocking pipe.
      pollfd ready{descriptor, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      // A full disk may have room for the next lines.
      if (rest.size() < lines.size()) cut_a_line_ = *(rest.data() - 1) != '\n';
      return count_lines(rest);
    }
  }
  return 0;
}

AsyncSink::AsyncSink(const LoggerConfig& config, std::chrono::milliseconds gather_time)
    : redaction_(config),
      writer_(std::make_shared<Writer>(config, gather_time)),
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
  if (!redaction_.active()) return writer_->add(record);
  Json bindings;
  const base::TreeGuard bindings_guard(bindings);
  base::copy_tree(record.bindings, bindings);
  Json fields;
  const base::TreeGuard fields_guard(fields);
  base::copy_tree(record.fields, fields);
  redaction_.apply(bindings);
  redaction_.apply(fields);
  writer_->add({record.level, record.time, record.request_id, record.user, bindings, fields,
                record.message, record.trace_id});
}

void AsyncSink::flush() { writer_->flush(); }

}  // namespace fw::detail
