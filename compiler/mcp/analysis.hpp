// The process that reads the application for the tools.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>

#include "process/event_loop.hpp"
#include "rpc/helper_process.hpp"

namespace fairway::mcp {

using rpc::Json;

/// The process responds in order. If Clang crashes, all of them fail, and the next one starts
/// another process.
class Analysis {
 public:
  using RequestId = std::uint64_t;

  /// How much processor time a request may use: a text may keep Clang busy for ever.
  struct Limits {
    std::chrono::milliseconds total{120'000};
    std::chrono::milliseconds interval{1'000};  ///< of looking at it
  };

  Analysis(process::EventLoop& loop, std::filesystem::path folder,
           rpc::HelperProcess::Program program, Limits limits);
  ~Analysis() { loop_.cancel(timer_); }
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;

  /// Calls `responded` later with the response of the process, or with an error response.
  RequestId ask(std::string_view method, const Json& params,
                std::function<void(const Json& response)> responded);
  /// There will be no response. Ends the process if no other request waits.
  void forget(RequestId request);

 private:
  void watch();
  void check_time();

  process::EventLoop& loop_;
  const Limits limits_;
  std::set<RequestId> waiting_;
  RequestId last_id_ = 0;
  process::EventLoop::TimerId timer_ = 0;
  std::chrono::milliseconds used_before_{0};  ///< when the first of them began
  rpc::HelperProcess process_;                // last, because its callbacks use the others
};

}  // namespace fairway::mcp
