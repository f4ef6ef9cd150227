// What the supervisor asks a worker for the admin listener: its metrics, its requests,
// whether it is ready, and to change the level of its log.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "http/socket.hpp"

namespace fw::cluster {

enum class WorkerQuestion : char {
  metrics = 'M',
  readiness = 'R',
  requests = 'Q',   ///< those in progress
  log_level = 'L',  ///< the argument is the new one; 0 leaves it
};

/// The supervisor's end. The worker writes each response to a file in memory, which has room for
/// any number of metrics, and which outlives the worker. Thread-safe.
class WorkerLink {
 public:
  /// Throws std::system_error.
  WorkerLink();

  /// The descriptors that the worker inherits.
  int worker_socket() const { return worker_socket_.get(); }
  int file() const { return file_.get(); }
  /// Closes the worker's end in this process, to notice when the worker ends.
  void release_worker_socket() { worker_socket_.close(); }

  /// The response; nothing if the worker has ended, or does not respond in time. One that starts
  /// responds when it has started.
  std::optional<std::string> ask(WorkerQuestion question, std::chrono::milliseconds most,
                                 std::uint8_t argument = 0);
  /// What the worker has written last. Only after its end is it known to be complete.
  std::string last() const;

 private:
  http::FileDescriptor socket_;
  http::FileDescriptor worker_socket_;
  http::FileDescriptor file_;
  std::mutex mutex_;  // guards the following member, and the order of questions and responses
  std::uint32_t number_ = 0;
};

/// The worker's end: responds on a thread of its own.
class WorkerResponder {
 public:
  /// Must not throw.
  using Respond = std::function<std::string(WorkerQuestion question, std::uint8_t argument)>;

  /// The descriptors must outlive it. Throws std::system_error.
  WorkerResponder(int socket, int file, Respond respond);
  ~WorkerResponder() { finish(); }
  WorkerResponder(const WorkerResponder&) = delete;
  WorkerResponder& operator=(const WorkerResponder&) = delete;

  /// Responds to no more questions, and leaves the metrics for the time after the worker.
  void finish();

 private:
  void run();
  void write(const std::string& response) const;

  const int socket_;
  const int file_;
  const Respond respond_;
  std::thread thread_;
};

}  // namespace fw::cluster
