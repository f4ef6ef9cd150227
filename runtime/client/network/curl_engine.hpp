// Runs the transfers of an application with libcurl, on one thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "client/network/curl_handles.hpp"
#include "client/network/curl_job.hpp"
#include "client/network/lookup_pool.hpp"

namespace fw::client {

/// One multi handle, so that all calls share connections, names that were looked up, and TLS
/// sessions, and a connection needs one descriptor. libcurl closes connections that were idle for
/// too long when another call begins; the engine closes them when there is no call. Thread-safe.
class CurlEngine {
 public:
  explicit CurlEngine(CurlSettings& settings);
  ~CurlEngine();
  CurlEngine(const CurlEngine&) = delete;
  CurlEngine& operator=(const CurlEngine&) = delete;

  void start(std::shared_ptr<CurlJob> job) { post({Command::Kind::start, std::move(job)}); }
  void resume(std::shared_ptr<CurlJob> job) { post({Command::Kind::resume, std::move(job)}); }
  void cancel(std::shared_ptr<CurlJob> job) { post({Command::Kind::cancel, std::move(job)}); }
  /// The job ends when its request has been sent. It has no caller any more. If there are too many
  /// of these jobs, others end.
  void detach(std::shared_ptr<CurlJob> job, Detachment detachment) {
    post({Command::Kind::detach, std::move(job), {}, std::move(detachment)});
  }
  /// Makes all current and later jobs fail.
  void stop();

 private:
  struct Command {
    enum class Kind { start, resume, cancel, detach, looked_up };
    Kind kind;
    std::shared_ptr<CurlJob> job;
    LookupPool::Result result = {};  ///< of a look-up
    std::optional<Detachment> detachment = {};
  };

  /// A job without a caller.
  struct Detached {
    std::shared_ptr<CurlJob> job;
    Detachment detachment;        ///< with an `until`
    Clock::time_point last_sent;  ///< when a part of the request was sent
    std::uint64_t sent;           ///< bytes

    Clock::time_point end() const {
      return std::min(*detachment.until, last_sent + detachment.idle);
    }
    Clock::duration pause(Clock::time_point now) const;
  };

  struct Lookup {
    std::shared_ptr<CurlJob> job;
    LookupPool::Ticket ticket = {};
  };

  void post(Command command);
  void run();
  bool process_commands();
  void begin(const std::shared_ptr<CurlJob>& job);
  void add(const std::shared_ptr<CurlJob>& job);
  void end(CurlJob& job);
  void keep_spare(CurlJob& job);
  void look_up(const std::shared_ptr<CurlJob>& job);
  void continue_after_lookup(const Command& command);
  bool stop_lookup(CurlJob& job);
  void end_all();
  void add_detached(std::shared_ptr<CurlJob> job, Detachment detachment);
  void bound_detached(std::size_t most, auto amount_of);
  void end_detached();
  bool perform();
  void wait();
  bool close_idle_connections();

  CurlSettings& settings_;

  std::mutex mutex_;  // guards the following members, and `multi_` for other threads
  std::vector<Command> commands_;
  bool is_stopped_ = false;
  bool ends_ = false;

  // Used by the thread only.
  ShareHandle share_;  ///< outlives the multi handle and the easy handles
  MultiHandle multi_;
  std::vector<EasyHandle> spares_;
  std::unordered_map<CURL*, std::shared_ptr<CurlJob>> running_;
  std::unordered_map<CurlJob*, Lookup> looking_up_;
  std::vector<Detached> detached_;  ///< the newest is the last one
  std::vector<Command> taken_;
  std::chrono::steady_clock::time_point last_end_;  ///< of a transfer
  bool may_have_idle_ = false;                      ///< there may be idle connections

  LookupPool lookups_;
  std::thread thread_;  ///< last: it uses what is above
};

}  // namespace fw::client
