// A group's application while its cases run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "group.hpp"
#include "temporary_directory.hpp"

namespace conformance {

/// Started on a free port with its log in a file; stopped at the end of scope.
class RunningGroup {
 public:
  /// `config` is the group's member of that name. Throws what keeps the application from starting.
  RunningGroup(const Group& group, const fw::Json& config);
  ~RunningGroup();
  RunningGroup(const RunningGroup&) = delete;
  RunningGroup& operator=(const RunningGroup&) = delete;

  int port() const;
  /// Returns once the lines so far have been written, and passes over them.
  void drop_log();
  /// Lines written since the last call.
  std::vector<std::string> take_log();
  EventList& events() { return events_; }

 private:
  std::string log_path() const { return directory_.path() / "log"; }

  fairway::test::TemporaryDirectory directory_;
  std::size_t log_read_ = 0;
  EventList events_;
  std::unique_ptr<fw::App> app_;
};

}  // namespace conformance
