// The thread that analyses the application, so that the server can always read messages.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "dev/descriptor.hpp"
#include "lsp/application_source.hpp"

namespace fairway::lsp {

class Analysis {
 public:
  struct Task {
    std::uint64_t generation = 0;  ///< counts the changes
    std::shared_ptr<const files::UnsavedFiles> unsaved;
    bool disk_has_changed = false;
  };
  struct Result {
    std::uint64_t generation = 0;
    std::optional<Snapshot> snapshot;  ///< empty if there is an error
    std::string error;
  };

  /// `source` is used by the thread.
  explicit Analysis(ApplicationSource& source);
  /// Waits for the end of the task.
  ~Analysis();
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;

  /// Starts a task; there must be no other.
  void start(Task task);
  /// Becomes readable when there is a result.
  int descriptor() const { return ready_.get(); }
  /// The result, once.
  std::optional<Result> take();

 private:
  void work();

  ApplicationSource& source_;
  dev::Descriptor ready_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool must_stop_ = false;
  std::optional<Task> task_;
  std::optional<Result> result_;
  std::thread thread_;  // last, because it uses the others
};

}  // namespace fairway::lsp
