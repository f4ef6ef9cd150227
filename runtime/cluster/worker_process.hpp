// One process that a supervisor has started.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "cluster/worker_role.hpp"
#include "http/socket.hpp"

namespace fw::cluster {

/// How this program was started, to start it again: a newer file at the same path is taken.
struct Program {
  /// Throws std::system_error.
  static Program current();

  std::string path;
  std::vector<std::string> arguments;
};

/// A child of this process. The destructor does not end it.
class WorkerProcess {
 public:
  using Clock = std::chrono::steady_clock;
  enum class State { starting, ready, stopping };

  /// Starts the program as worker `number`; it inherits `listeners`, its own first. It gets SIGTERM
  /// if this thread ends before it. Throws std::system_error.
  WorkerProcess(const Program& program, int number, const std::vector<int>& listeners);

  pid_t pid() const { return pid_; }
  State state() const { return state_; }
  /// When it came into its state.
  Clock::time_point since() const { return since_; }
  void enter(State state);

  /// Readable when the process has reported, or has ended.
  int control_socket() const { return control_socket_.get(); }
  int pidfd() const { return pidfd_.get(); }

  /// What it has reported, if anything is new.
  std::optional<Report> take_report();
  /// What keeps it from starting, as reported.
  const std::vector<std::string>& errors() const { return errors_; }
  void add_error(std::string error) { errors_.push_back(std::move(error)); }

  void signal(int number) const;
  /// How it ended ("signal 9 (Killed)"), if it has.
  std::optional<std::string> take_end();

 private:
  pid_t pid_ = -1;
  http::FileDescriptor control_socket_;
  http::FileDescriptor pidfd_;
  State state_ = State::starting;
  Clock::time_point since_ = Clock::now();
  std::vector<std::string> errors_;
};

}  // namespace fw::cluster
