// Concurrent requests of a process for the same key: one of them runs the handler for all.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "features/cache/stored_response.hpp"

namespace fw::detail {

/// Thread-safe.
class SharedRuns {
 public:
  using Clock = std::chrono::steady_clock;
  /// In a row, while requests wait.
  static constexpr int kMaxFailures = 3;

 private:
  struct Run;
  using Runs = std::map<std::string, std::shared_ptr<Run>, std::less<>>;

 public:
  /// The right to run the handler for the requests that wait for the same key. Unless it ends with
  /// one of these functions, the handler has failed, and the next waiting request gets the right.
  class Lead {
   public:
    Lead(SharedRuns& owner, std::shared_ptr<Run> run) : owner_(owner), run_(std::move(run)) {}
    ~Lead();
    Lead(const Lead&) = delete;
    Lead& operator=(const Lead&) = delete;

    /// All waiting requests get the response.
    void publish(std::shared_ptr<const StoredResponse> response);
    /// The response cannot be shared: each waiting request runs the handler itself. Returns whether
    /// there is one.
    bool decline();
    /// The handler has failed. The next waiting request gets the right; after `kMaxFailures`, none
    /// does: they would run it one after the other.
    void fail();
    /// The key was not the right one: the waiting requests begin again.
    void restart();

   private:
    SharedRuns& owner_;
    std::shared_ptr<Run> run_;  ///< null after its end
  };

  enum class Outcome {
    lead,       ///< this request runs the handler for the others
    response,   ///< `Joined::response` belongs to another request
    declined,   ///< this request runs the handler for itself
    failed,     ///< the handler has failed for several requests
    restarted,  ///< this request must look for an entry again
    busy,       ///< another request is running the handler, and this one does not wait
    late,       ///< the deadline has passed
  };
  struct Joined {
    Outcome outcome;
    std::unique_ptr<Lead> lead = {};
    std::shared_ptr<const StoredResponse> response = {};
  };

  /// Joins the requests for a key that have seen the same `version` of its tags; a request that
  /// has seen another one runs the handler again. With a deadline, waits for the one that has the
  /// lead. Throws RequestCancelled if `stop` is requested.
  Joined join(std::string_view key, std::uint64_t version, const std::stop_token& stop,
              std::optional<Clock::time_point> deadline);

 private:
  enum class State { running, vacant, ended };
  struct Run {
    Runs::iterator place;  ///< valid while `is_listed`
    bool is_listed = false;
    std::uint64_t version = 0;
    State state = State::running;
    Outcome outcome = Outcome::declined;  ///< of those that waited, after the end
    std::shared_ptr<const StoredResponse> response;
    std::size_t waiting = 0;
    int failures = 0;
    std::condition_variable_any changed;
  };

  /// Returns whether a request is waiting.
  bool end(Run& run, Outcome outcome, std::shared_ptr<const StoredResponse> response);
  void unlist(Run& run);
  /// Offers the lead to a waiting request.
  void vacate(Run& run);

  std::mutex mutex_;  ///< of all runs
  Runs runs_;
};

}  // namespace fw::detail
