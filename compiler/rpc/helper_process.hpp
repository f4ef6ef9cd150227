// A process that works for a server, so that a crash, for example of Clang, does not end the
// server.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "base/file_descriptor.hpp"
#include "process/event_loop.hpp"
#include "rpc/json_rpc.hpp"
#include "rpc/message_connection.hpp"

namespace fairway::rpc {

/// Started by the first request, and again by the first one after a crash. It is a copy of this
/// process, which must have only one thread.
class HelperProcess {
 public:
  /// What the process does: it responds to the messages of a connection until its end.
  using Program = std::function<void(int connection)>;
  using Responded = std::function<void(const Json& response)>;

  /// The process works in `folder`. Errors call it `name`: "the analysis".
  HelperProcess(process::EventLoop& loop, std::string name, std::filesystem::path folder,
                Program program);
  /// Ends the process.
  ~HelperProcess();
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;

  /// False before the first request, and after a crash.
  bool is_running() const { return process_ > 0; }
  /// Sends a request. Calls `responded` later, with an error response if the process crashes.
  void call(std::string_view method, Json params, Responded responded);
  /// The processor time that the process has used; 0 if there is none.
  std::chrono::milliseconds processor_time() const;
  /// Ends the process, if there is one. The requests without a response get an error response that
  /// says why.
  void end(std::string_view why);

 private:
  void start();
  [[noreturn]] void run_program(int connection, pid_t parent) const;
  void receive(const std::string& content);
  void ended();
  void respond_to_all(std::string_view message);

  process::EventLoop& loop_;
  std::string name_;
  std::filesystem::path folder_;
  Program program_;
  pid_t process_ = 0;
  fw::base::FileDescriptor socket_;
  std::optional<MessageConnection> connection_;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, Responded> calls_;
};

/// What the program of such a process does: responds to the requests of a connection until its end.
/// `respond` returns the result, and throws as a handler does.
void respond_to_requests(
    int connection,
    const std::function<Json(const std::string& method, const Json& params)>& respond);

}  // namespace fairway::rpc
