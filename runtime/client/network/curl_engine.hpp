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
  /// A job without a caller, which ends when its request has been sent.
  struct Detached {
    std::shared_ptr<CurlJob> job;
    std::chrono::milliseconds idle;  ///< maximum time in which nothing is sent
    Deadline until;
    std::uint64_t sent = 0;
    std::size_t memory = 0;  ///< of its body
    bool has_size = false;   ///< of its body: it shows when the request has been sent
    std::chrono::steady_clock::time_point idle_until = {};

    std::chrono::steady_clock::time_point end() const {
      return until ? std::min(*until, idle_until) : idle_until;
    }
  };
  /// Returns false if too many have been detached.
  bool detach(Detached detached);
  /// Makes all current and later jobs fail.
  void stop();

 private:
  struct Command {
    enum class Kind { start, resume, cancel, detach, looked_up };
    Kind kind;
    std::shared_ptr<CurlJob> job;
    LookupPool::Result result = {};  ///< of a look-up
    std::optional<Detached> detached = {};
  };

  struct Lookup {
    std::shared_ptr<CurlJob> job;
    LookupPool::Ticket ticket = {};
  };

  void post(Command command);
  void add_command(Command command);
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
  void end_detached();
  void forget_detached(const Detached& detached);
  void perform();
  void wait();
  bool close_idle_connections();

  CurlSettings& settings_;

  std::mutex mutex_;  // guards the following members, and `multi_` for other threads
  std::vector<Command> commands_;
  bool is_stopped_ = false;
  bool ends_ = false;
  std::size_t detached_count_ = 0;         ///< with those in `commands_`
  std::size_t detached_memory_ = 0;        ///< likewise
  std::size_t detached_without_size_ = 0;  ///< likewise

  // Used by the thread only.
  ShareHandle share_;  ///< outlives the multi handle and the easy handles
  MultiHandle multi_;
  std::vector<EasyHandle> spares_;
  std::unordered_map<CURL*, std::shared_ptr<CurlJob>> running_;
  std::unordered_map<CurlJob*, Lookup> looking_up_;
  std::vector<Detached> detached_;
  std::vector<Command> taken_;
  std::chrono::steady_clock::time_point last_end_;  ///< of a transfer
  bool may_have_idle_ = false;                      ///< there may be idle connections

  LookupPool lookups_;
  std::thread thread_;  ///< last: it uses what is above
};

}  // namespace fw::client
