// The loop of a command that runs other programs, until a signal stops it.
#pragma once

#include <functional>

#include "base/file_descriptor.hpp"
#include "process/event_loop.hpp"
#include "process/processes.hpp"

namespace fairway::process {

/// SIGINT, SIGTERM and, unless it is ignored, SIGHUP end all processes with SIGTERM, the second
/// signal with SIGKILL.
class MainLoop {
 public:
  MainLoop();
  MainLoop(const MainLoop&) = delete;
  MainLoop& operator=(const MainLoop&) = delete;

  EventLoop& events() { return events_; }
  Processes& processes() { return processes_; }
  bool is_stopping() const { return signals_received_ > 0; }

  /// Returns when a signal has ended all processes, or after `stop`. Calls `stopping` when the
  /// first signal arrives.
  void run(std::function<void()> stopping);
  void stop() { events_.stop(); }

 private:
  void on_signal();
  void end_processes();

  EventLoop events_;
  fw::base::FileDescriptor signals_;
  Processes processes_;
  std::function<void()> stopping_;
  int signals_received_ = 0;
};

}  // namespace fairway::process
