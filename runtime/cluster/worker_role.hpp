// What a process knows that a supervisor has started as one of its workers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/socket.hpp"

namespace fw::cluster {

/// The number of a worker, for the application to read; from 1 on.
inline constexpr const char* kNumberVariable = "FAIRWAY_WORKER";
/// For the framework: the supervisor's process number, the descriptor that leads to it, and those
/// of the listening sockets: "4711:5:6,7".
inline constexpr const char* kRoleVariable = "FAIRWAY_CLUSTER";

/// What a worker tells its supervisor, in one packet: what it is about, and a text.
enum class Report : char { ready = 'R', errors = 'F', not_run = 'X' };

class WorkerRole {
 public:
  /// Nothing in a process that is no worker. Throws std::logic_error when another application of
  /// the process has the role.
  static std::optional<WorkerRole> take();

  int number() const { return number_; }
  /// The worker's own listening socket, then those of the others. The caller's to close.
  const std::vector<int>& listeners() const { return listeners_; }

  void report_ready() const;
  void report_errors(const std::vector<std::string>& errors) const;

 private:
  void report(Report about, std::string_view text) const;

  int number_ = 0;
  http::FileDescriptor link_;
  std::vector<int> listeners_;
};

}  // namespace fw::cluster
