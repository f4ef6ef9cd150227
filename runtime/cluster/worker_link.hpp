// What the supervisor asks a worker for the admin listener: its metrics, its requests,
// whether it is ready, and to change the level of its log.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "http/socket.hpp"

namespace fw::cluster {

enum class WorkerQuestion : char {
  metrics = 'M',
  readiness = 'R',
  requests = 'Q',   ///< those in progress
  log_level = 'L',  ///< the argument is the new one; 0 leaves it
};

struct WorkerResponse {
  enum class Outcome {
    complete,
    silent,  ///< no response in time
    ended,   ///< the worker has ended
  };
  Outcome outcome = Outcome::silent;
  std::string text = {};  ///< if it is complete
};

class WorkerLink;

/// A question to a worker. It need not be awaited.
struct SentQuestion {
  struct Reception;  // what has arrived of the response

  WorkerLink* link = nullptr;  ///< must outlive it
  /// The worker responds to earlier ones before, but for those about readiness.
  std::uint64_t number = 0;
  std::shared_ptr<Reception> reception = {};
};

/// The supervisor's end. Neither end needs a free descriptor for a question or a response, so that
/// connections that use up all of them hide no worker. Thread-safe.
class WorkerLink {
 public:
  using Clock = std::chrono::steady_clock;

  /// Throws std::system_error.
  WorkerLink();

  /// The descriptors that the worker inherits.
  int worker_socket() const { return worker_socket_.get(); }
  int file() const { return file_.get(); }
  /// Closes the worker's end in this process, to notice when the worker ends.
  void release_worker_socket() { worker_socket_.close(); }

  /// Never waits. A worker that starts responds when it has started. After the deadline it does
  /// not respond any more, but sets its log level. If there is no room, because the worker has not
  /// received earlier questions, the question gets no response; a new log level is kept, and sent
  /// before the next question or when responses are received.
  SentQuestion send(WorkerQuestion question, Clock::time_point deadline, std::uint8_t argument = 0);
  /// Readable when responses arrive, or the worker ends. Any thread may receive them.
  int socket() const { return socket_.get(); }
  /// Receives what has arrived, for all who wait. Returns the response to `question` if it is
  /// complete or the worker has ended; only once.
  std::optional<WorkerResponse> receive(const SentQuestion& question);
  /// The metrics that the worker has left. Only after its end are they known to be complete.
  std::string last() const;

 private:
  struct KeptLevel {
    std::uint64_t number;
    std::uint8_t level;
  };

  void receive_arrived();
  void send_kept();

  base::FileDescriptor socket_;
  base::FileDescriptor worker_socket_;
  base::FileDescriptor file_;  // in memory, with room for any number of metrics
  std::mutex mutex_;           // guards the following members, and the order of questions
  std::uint64_t number_ = 0;
  std::vector<std::weak_ptr<SentQuestion::Reception>> awaited_;
  std::optional<KeptLevel> kept_;  // the last log level, if there was no room for it
};

enum class Await {
  all,
  first,  ///< complete response
};

/// Waits for the responses to all questions, or the first of them, until the deadline.
std::vector<WorkerResponse> await_responses(std::span<const SentQuestion> questions,
                                            WorkerLink::Clock::time_point deadline,
                                            Await most = Await::all);

/// The worker's end: responds on a thread of its own, and on another one whether the worker is
/// ready, because the checks of the application may take long.
class WorkerResponder {
 public:
  /// Must not throw. Called by one thread for `readiness`, and by another one for the other
  /// questions. Without a result, nothing is sent.
  using Respond =
      std::function<std::optional<std::string>(WorkerQuestion question, std::uint8_t argument)>;

  /// Called once when the supervisor, which may be of an older program, has sent a question in an
  /// unknown form. Must not throw. May be empty.
  using ReportUnknown = std::function<void()>;

  /// The descriptors must outlive it. Throws std::system_error.
  WorkerResponder(int socket, int file, Respond respond, ReportUnknown report = {});
  ~WorkerResponder();
  WorkerResponder(const WorkerResponder&) = delete;
  WorkerResponder& operator=(const WorkerResponder&) = delete;

  /// Responds to no more questions, and leaves the metrics for the time after the worker.
  void finish();

 private:
  class Readiness;

  void run();

  const int socket_;
  const int file_;
  const Respond respond_;
  const ReportUnknown report_unknown_;
  std::unique_ptr<Readiness> readiness_;
  std::thread thread_;
};

}  // namespace fw::cluster
