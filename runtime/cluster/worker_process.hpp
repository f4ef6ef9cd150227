// A process that a supervisor has started.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "cluster/worker_link.hpp"
#include "cluster/worker_role.hpp"
#include "http/socket.hpp"

namespace fw::cluster {

/// The path and the arguments of this program, to start it again. A newer file at the same path is
/// used.
struct Program {
  /// Throws std::system_error.
  static Program current();

  std::string path;
  std::vector<std::string> arguments;
};

/// A child process. The destructor does not end it.
class WorkerProcess {
 public:
  using Clock = std::chrono::steady_clock;
  enum class State { starting, ready, stopping };

  /// Starts the program as worker `number`; it inherits `listeners`, its own one first, and the
  /// file `ticket_secret`, unless it is -1. It gets SIGTERM if this thread ends. `has_link`: it is
  /// asked for the admin listener. Throws std::system_error.
  WorkerProcess(const Program& program, int number, const std::vector<int>& listeners,
                int ticket_secret, bool has_link = false);

  pid_t pid() const { return pid_; }
  State state() const { return state_; }
  /// The time at which its state began.
  Clock::time_point since() const { return since_; }
  void enter(State state);

  /// Readable if the process has sent a report or has ended.
  int control_socket() const { return control_socket_.get(); }
  int pidfd() const { return pidfd_.get(); }
  /// Null if it is not asked. May outlive this.
  const std::shared_ptr<WorkerLink>& link() const { return link_; }

  /// The next report of the process, if there is one.
  std::optional<Report> take_report();
  /// The reported errors that prevent it from starting.
  const std::vector<std::string>& errors() const { return errors_; }
  void add_error(std::string error) { errors_.push_back(std::move(error)); }

  void signal(int number) const;
  /// The reason of its end ("signal 9 (Killed)"); empty if it is running.
  std::optional<std::string> take_end();

 private:
  pid_t pid_ = -1;
  base::FileDescriptor control_socket_;
  base::FileDescriptor pidfd_;
  std::shared_ptr<WorkerLink> link_;
  State state_ = State::starting;
  Clock::time_point since_ = Clock::now();
  std::vector<std::string> errors_;
};

}  // namespace fw::cluster
