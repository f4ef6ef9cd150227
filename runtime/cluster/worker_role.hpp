// The role of a process that a supervisor has started as a worker.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.hpp"

namespace fw::cluster {

/// The number of the worker, from 1, for the application.
inline constexpr const char* kNumberVariable = "FAIRWAY_WORKER";
/// For the framework: the process id of the supervisor, the descriptors of the control socket and
/// of the secret of session tickets (-1 without TLS), of the socket and the file of the admin
/// listener
/// (-1 without it), and of the listening sockets: "4711:5:-1:8:9:6,7".
inline constexpr const char* kRoleVariable = "FAIRWAY_CLUSTER";

/// A report of a worker to its supervisor: one packet with this type and a text.
enum class Report : char { ready = 'R', errors = 'F', not_run = 'X' };

class WorkerRole {
 public:
  /// Empty if the process is not a worker. Throws std::logic_error if another application of the
  /// process has the role.
  static std::optional<WorkerRole> take();

  int number() const { return number_; }
  /// The listening socket of this worker, then the sockets of the others. The caller must close
  /// them.
  const std::vector<int>& listeners() const { return listeners_; }
  /// The file with the secret of session tickets; -1 without TLS.
  int ticket_secret() const { return ticket_secret_.get(); }
  /// The descriptors for a WorkerResponder; -1 if the supervisor has no admin listener.
  /// @{
  int admin_socket() const { return admin_socket_.get(); }
  int admin_file() const { return admin_file_.get(); }
  /// @}

  void report_ready() const;
  void report_errors(const std::vector<std::string>& errors) const;

 private:
  void report(Report about, std::string_view text) const;

  int number_ = 0;
  base::FileDescriptor link_;
  base::FileDescriptor ticket_secret_;
  base::FileDescriptor admin_socket_;
  base::FileDescriptor admin_file_;
  std::vector<int> listeners_;
};

}  // namespace fw::cluster
